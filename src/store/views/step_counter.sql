-- SPDX-License-Identifier: MIT
-- The counters of the steps of each run. value is NULL if reason says why. counted_at is the
-- position of the counted step: this one, or one that does the same.
CREATE VIEW step_counter AS
SELECT step.run              AS run,
       step.position         AS position,
       layer.value           AS layer,
       step.pass             AS pass,
       step.kind             AS kind,
       metric.value          AS metric,
       step_metric.unit      AS unit,
       step_metric.value     AS value,
       reason.value          AS reason,
       step_metric.counted_at AS counted_at,
       run.origin            AS origin
FROM step_metric
JOIN run ON run.id = step_metric.run
JOIN step ON step.run = step_metric.run AND step.position = step_metric.position
JOIN text AS layer ON layer.id = step.layer
JOIN text AS metric ON metric.id = step_metric.metric
LEFT JOIN text AS reason ON reason.id = step_metric.reason
