-- SPDX-License-Identifier: MIT
-- One row per run: what was run, its whole iteration in seconds, the sum of its steps' medians
-- (NULL where one was not measured) and how many doubts there are about it; what users call
-- it and write about it, NULL where they do not.
CREATE VIEW run_summary AS
SELECT run.id AS run, run.created, run.origin, run.state, run.backend, run.network, run.batch,
       run.mode, run.dtype, run.threads, run.algorithm, run.key,
       end_to_end.median_ns / 1e9   AS end_to_end_s,
       end_to_end.low_ns / 1e9      AS end_to_end_low_s,
       end_to_end.high_ns / 1e9     AS end_to_end_high_s,
       end_to_end.samples           AS samples,
       instrumented.median_ns / 1e9 AS instrumented_s,
       (SELECT CASE WHEN count(median_ns) = count(*) THEN sum(median_ns) / 1e9 END
        FROM step WHERE step.run = run.id)                                  AS steps_s,
       (SELECT count(*) FROM step WHERE step.run = run.id)                  AS steps,
       (SELECT count(*) FROM step WHERE step.run = run.id AND step.status LIKE 'skipped:%')
                                                                            AS steps_skipped,
       (SELECT count(*) FROM step WHERE step.run = run.id AND step.status LIKE 'failed:%')
                                                                            AS steps_failed,
       (SELECT count(*) FROM flag WHERE flag.run = run.id)                  AS flags,
       run.predicted_memory AS predicted_memory_bytes,
       run.measured_memory  AS measured_memory_bytes,
       (SELECT group_concat(name, ', ')
        FROM (SELECT name FROM tag WHERE tag.run = run.id ORDER BY name)) AS tags,
       (SELECT text FROM note WHERE note.run = run.id)                    AS note
FROM run
LEFT JOIN whole AS end_to_end ON end_to_end.run = run.id AND end_to_end.series = 'end_to_end'
LEFT JOIN whole AS instrumented ON instrumented.run = run.id AND instrumented.series = 'instrumented'
