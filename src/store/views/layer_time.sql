-- SPDX-License-Identifier: MIT
-- A layer's pass with everything done for it: its own step and the reorders and accumulations that it
-- needs. time_s is the sum of their medians, NULL if one of them was not measured.
CREATE VIEW layer_time AS
SELECT run, origin, backend, network, batch, dtype,
       min(position)  AS position,
       layer,
       pass,
       CASE WHEN count(median_s) = count(*) THEN sum(median_s) END AS time_s,
       count(*)       AS steps,
       count(median_s) AS steps_measured,
       sum(flops)     AS flops,
       sum(bytes_read + bytes_written) AS traffic_bytes,
       sum(bytes_read + bytes_written) AS bytes
FROM step_time
GROUP BY run, layer, pass
