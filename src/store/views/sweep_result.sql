-- SPDX-License-Identifier: MIT
-- Every begun point of every sweep: its outcome and, if it has a run, the median of its whole
-- iteration. Its hyperparameters are rows of run_parameter. repeat is above 0 for repeated
-- measurements of the anchor.
CREATE VIEW sweep_result AS
SELECT sweep.id              AS sweep,
       sweep.name            AS name,
       sweep_point.position  AS position,
       sweep_point.repeat    AS repeat,
       sweep_point.network   AS network,
       sweep_point.batch     AS batch,
       sweep_point.mode      AS mode,
       sweep_point.dtype     AS dtype,
       sweep_point.threads   AS threads,
       sweep_point.backend   AS backend,
       sweep_point.outcome   AS outcome,
       sweep_point.reason    AS reason,
       sweep_point.run       AS run,
       whole.median_ns / 1e9 AS median_s,
       run.origin            AS origin
FROM sweep_point
JOIN sweep ON sweep.id = sweep_point.sweep
LEFT JOIN run ON run.id = sweep_point.run
LEFT JOIN whole ON whole.run = sweep_point.run AND whole.series = 'end_to_end'
