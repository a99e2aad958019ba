-- SPDX-License-Identifier: MIT
-- One row per run: what was run, its whole iteration in seconds, the sum of its steps' medians
-- (NULL if one was not measured) and the number of doubts about it. state is partial (interrupted,
-- or still running), incomplete (a step was skipped or failed) or complete; an incomplete run's
-- iteration is not the network's, so its times are NULL (table whole keeps them).
-- verified_steps: compared with the reference before anything was timed, NULL if not requested;
-- worst_of_tolerance: their largest error over its tolerance, at most 1 if all agree.
-- other_settings: the requested algorithm and other settings that are not the default; NULL if all
-- are. threads: of the processors that computed, NULL on a GPU.
-- tags, note: the users' names and note, NULL without any.
CREATE VIEW run_summary AS
SELECT run.id AS run, run.created, run.origin,
       CASE WHEN run.state = 'complete' AND hole THEN 'incomplete' ELSE run.state END AS state,
       run.backend, run.network, run.batch,
       run.mode, run.dtype,
       CASE WHEN run.ran_on IS NOT 'gpu' THEN nullif(run.threads, 0) END AS threads,
       run.algorithm, run.key,
       CASE WHEN NOT hole THEN end_to_end.median_ns / 1e9 END   AS end_to_end_s,
       CASE WHEN NOT hole THEN end_to_end.low_ns / 1e9 END      AS end_to_end_low_s,
       CASE WHEN NOT hole THEN end_to_end.high_ns / 1e9 END     AS end_to_end_high_s,
       end_to_end.samples           AS samples,
       CASE WHEN NOT hole THEN instrumented.median_ns / 1e9 END AS instrumented_s,
       (SELECT CASE WHEN count(*) FILTER (WHERE median_ns IS NULL AND status NOT IN ('included', 'no-op'))
                         = 0 THEN sum(median_ns) / 1e9 END
        FROM step WHERE step.run = run.id)                                  AS steps_s,
       (SELECT count(*) FROM step WHERE step.run = run.id)                  AS steps,
       (SELECT count(*) FROM step WHERE step.run = run.id AND step.status = 'skipped')
                                                                            AS steps_skipped,
       (SELECT count(*) FROM step WHERE step.run = run.id AND step.status = 'failed')
                                                                            AS steps_failed,
       (SELECT count(*) FROM flag WHERE flag.run = run.id)                  AS doubts,
       (SELECT count(*) FROM flag WHERE flag.run = run.id)                  AS flags,
       verification.compared          AS verified_steps,
       verification.without_reference AS steps_without_reference,
       (SELECT max(error / tolerance) FROM step_check WHERE step_check.run = run.id)
                                                                            AS worst_of_tolerance,
       run.empty_step_ns / 1e9 AS empty_step_s,
       nullif(run.predicted_memory, 0) AS predicted_memory_bytes,
       run.measured_memory  AS measured_memory_bytes,
       (SELECT group_concat(text, ', ')
        FROM (SELECT 'algorithm ' || run.algorithm AS text WHERE run.algorithm <> 'auto'
              UNION ALL
              SELECT replace(name, '_', ' ') || ' ' || value FROM setting
              WHERE setting.run = run.id AND name NOT LIKE '% content')) AS other_settings,
       (SELECT group_concat(name, ', ')
        FROM (SELECT name FROM tag WHERE tag.run = run.id ORDER BY name)) AS tags,
       (SELECT text FROM note WHERE note.run = run.id)                    AS note
FROM (SELECT *, EXISTS (SELECT 1 FROM step WHERE step.run = run.id
                        AND step.status IN ('skipped', 'failed')) AS hole
      FROM run) AS run
LEFT JOIN whole AS end_to_end ON end_to_end.run = run.id AND end_to_end.series = 'end_to_end'
LEFT JOIN whole AS instrumented ON instrumented.run = run.id AND instrumented.series = 'instrumented'
LEFT JOIN verification ON verification.run = run.id
