-- SPDX-License-Identifier: MIT
-- Every step of every run with its names, its time in seconds and its work. Rates are left to the
-- reader: flops / median_s is FLOP/s. status is the origin of a step's time: measured, predicted or
-- imported. With any other status times are NULL; error and tolerance are NULL if the step was not
-- compared with the reference, seen_in and of_iterations if it is in every iteration: else it
-- occurs in seen_in of them, and its time is the sum over all divided by their number.
-- disturbed_samples were delayed by other programs (NULL: not observed), and sample_use says which
-- samples the time includes: all; clean, those not delayed; pooled, those of equal steps;
-- disturbed, the delayed ones too, because too few others are left.
CREATE VIEW step_time AS
SELECT run.id                AS run,
       run.origin            AS origin,
       run.backend           AS backend,
       run.network           AS network,
       run.batch             AS batch,
       run.dtype             AS dtype,
       step.position         AS position,
       layer.value           AS layer,
       operation.value       AS operator,
       step.pass             AS pass,
       step.kind             AS kind,
       implementation.value  AS implementation,
       algorithm.value       AS algorithm,
       layout.value          AS layout,
       CASE WHEN step.status <> 'measured' THEN step.status
            WHEN run.origin = 'modelled'   THEN 'predicted'
            ELSE run.origin END AS status,
       step.reason           AS reason,
       step.median_ns / 1e9  AS median_s,
       step.low_ns / 1e9     AS low_s,
       step.high_ns / 1e9    AS high_s,
       step.samples          AS samples,
       step.flops            AS flops,
       step.bytes_read       AS bytes_read,
       step.bytes_written    AS bytes_written,
       step.workspace        AS workspace_bytes,
       problem.value         AS problem,
       step_check.error      AS error,
       step_check.tolerance  AS tolerance,
       operation.value       AS operation,
       step_occurrence.seen_in    AS seen_in,
       step_occurrence.iterations AS of_iterations,
       disturbance.disturbed AS disturbed_samples,
       coalesce(disturbance.used, CASE WHEN step.median_ns IS NOT NULL THEN 'all' END)
                             AS sample_use,
       step.implementation_kind   AS implementation_kind
FROM step
JOIN run ON run.id = step.run
JOIN text AS layer ON layer.id = step.layer
JOIN text AS operation ON operation.id = step.operation
JOIN text AS implementation ON implementation.id = step.implementation
JOIN text AS algorithm ON algorithm.id = step.algorithm
JOIN text AS layout ON layout.id = step.layout
JOIN text AS problem ON problem.id = step.problem
LEFT JOIN disturbance ON disturbance.run = step.run AND disturbance.series = 'step'
                     AND disturbance.position = step.position
LEFT JOIN step_check ON step_check.run = step.run AND step_check.position = step.position
LEFT JOIN step_occurrence ON step_occurrence.run = step.run AND step_occurrence.position = step.position
