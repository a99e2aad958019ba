-- SPDX-License-Identifier: MIT
-- Every kernel of every set with its names. time_s and the following columns are NULL if only the
-- identity is known; layer and pass are NULL if the kernel was not attributed.
CREATE VIEW tracked_kernel AS
SELECT kernel_set.id         AS kernel_set,
       kernel_set.origin     AS origin,
       kernel_set.network    AS network,
       device.value          AS device,
       kernel.batch          AS batch,
       kernel.position       AS position,
       layer.value           AS layer,
       kernel.pass           AS pass,
       name.value            AS name,
       full_name.value       AS full_name,
       kernel.invocation     AS invocation,
       kernel.time_ns / 1e9  AS time_s,
       kernel.grid_x * kernel.grid_y * kernel.grid_z    AS blocks,
       kernel.block_x * kernel.block_y * kernel.block_z AS block_threads,
       kernel.registers      AS registers,
       kernel.static_shared + kernel.dynamic_shared     AS shared_bytes,
       kernel.id             AS kernel
FROM kernel
JOIN kernel_set ON kernel_set.id = kernel.kernel_set
JOIN text AS device ON device.id = kernel.device
JOIN text AS name ON name.id = kernel.name
JOIN text AS full_name ON full_name.id = kernel.full_name
LEFT JOIN text AS layer ON layer.id = kernel.layer
