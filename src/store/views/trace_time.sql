-- SPDX-License-Identifier: MIT
-- The work of a device in the traced iteration of each run. layer and pass are NULL if it was not
-- attributed, and evidence says why; time_s is NULL if no time stamps could be taken.
CREATE VIEW trace_time AS
SELECT trace_span.run        AS run,
       device.value          AS device,
       trace_span.position   AS position,
       trace_span.kind       AS kind,
       layer.value           AS layer,
       trace_span.pass       AS pass,
       name.value            AS name,
       trace_span.stream     AS stream,
       CASE WHEN trace_span.end_ns > trace_span.start_ns AND trace_span.start_ns > 0
            THEN (trace_span.end_ns - trace_span.start_ns) / 1e9 END AS time_s,
       trace_span.start_ns   AS start_ns,
       trace_span.end_ns     AS end_ns,
       trace_span.evidence   AS evidence,
       trace_span.bytes      AS bytes,
       trace_span.grid_x * trace_span.grid_y * trace_span.grid_z    AS blocks,
       trace_span.block_x * trace_span.block_y * trace_span.block_z AS block_threads,
       trace_span.registers  AS registers,
       trace_span.static_shared + trace_span.dynamic_shared         AS shared_bytes,
       run.origin            AS origin
FROM trace_span
JOIN run ON run.id = trace_span.run
JOIN trace ON trace.run = trace_span.run
JOIN text AS device ON device.id = trace.device
JOIN text AS name ON name.id = trace_span.name
LEFT JOIN text AS layer ON layer.id = trace_span.layer
