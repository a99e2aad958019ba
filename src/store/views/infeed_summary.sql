-- SPDX-License-Identifier: MIT
-- One row per run that was also fed with images: the medians, in seconds, of the iteration with its
-- input ready, of one that makes its batch first, and of one during which the next batch is made.
-- The infeed share is a median over iterations, which these medians do not give: strata analyze
-- infeed has it.
CREATE VIEW infeed_summary AS
SELECT infeed.run, run.origin, run.backend, run.network, run.batch, run.mode, run.dtype,
       nullif(run.threads, 0)           AS threads,
       infeed.source                    AS image_source,
       infeed.images,
       infeed.encoded_bytes,
       infeed.pixels,
       infeed.threads                   AS infeed_threads,
       step.median_ns / 1e9             AS step_s,
       decode.median_ns / 1e9           AS decode_s,
       augment.median_ns / 1e9          AS augment_s,
       produce.median_ns / 1e9          AS produce_s,
       serial.median_ns / 1e9           AS serial_s,
       overlapped.median_ns / 1e9       AS overlapped_s,
       waiting.median_ns / 1e9          AS waiting_s,
       copying.median_ns / 1e9          AS copying_s
FROM infeed
JOIN run ON run.id = infeed.run
JOIN infeed_time AS step ON step.run = infeed.run AND step.series = 'step'
JOIN infeed_time AS decode ON decode.run = infeed.run AND decode.series = 'decode'
JOIN infeed_time AS augment ON augment.run = infeed.run AND augment.series = 'augment'
JOIN infeed_time AS produce ON produce.run = infeed.run AND produce.series = 'produce'
JOIN infeed_time AS serial ON serial.run = infeed.run AND serial.series = 'serial'
JOIN infeed_time AS overlapped ON overlapped.run = infeed.run AND overlapped.series = 'overlapped'
JOIN infeed_time AS waiting ON waiting.run = infeed.run AND waiting.series = 'waiting'
JOIN infeed_time AS copying ON copying.run = infeed.run AND copying.series = 'copying'
