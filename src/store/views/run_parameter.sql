-- SPDX-License-Identifier: MIT
-- The hyperparameters of every run of a generated network, one per row: for
-- fc:layers=4,nodes=64,inputs=2000,outputs=200 the family fc and four parameters.
CREATE VIEW run_parameter AS
SELECT run.id                                             AS run,
       substr(run.network, 1, instr(run.network, ':') - 1) AS family,
       parameter.key                                      AS name,
       parameter.value                                    AS value
FROM run
JOIN json_each(CASE WHEN run.network GLOB '[a-z]*:[a-z]*=[0-9]*'
                     AND run.network NOT GLOB '*[^a-z0-9:=,]*'
                     AND run.network NOT GLOB '*:*:*'
                     AND json_valid('{"' || replace(replace(
                             substr(run.network, instr(run.network, ':') + 1), ',', ',"'),
                             '=', '":') || '}')
                    THEN '{"' || replace(replace(
                             substr(run.network, instr(run.network, ':') + 1), ',', ',"'),
                             '=', '":') || '}'
                    ELSE '{}' END) AS parameter
