-- SPDX-License-Identifier: MIT
-- One row per set, device and batch: kernels by pass, and how many names they share. keys counts
-- distinct pairs of full name and invocation; name_keys is their number with bare instead of full
-- names: if it is smaller, bare names confuse kernels.
CREATE VIEW kernel_census AS
SELECT kernel_set, origin, network, device, batch,
       count(*)                                        AS kernels,
       count(*) FILTER (WHERE pass = 'forward')        AS forward,
       count(*) FILTER (WHERE pass = 'backward_data')  AS backward_data,
       count(*) FILTER (WHERE pass = 'backward_weights') AS backward_weights,
       count(*) FILTER (WHERE pass = 'update')         AS updates,
       count(*) FILTER (WHERE pass IS NULL)            AS unattributed,
       count(DISTINCT name)                            AS names,
       count(DISTINCT full_name)                       AS full_names,
       count(DISTINCT full_name || char(31) || invocation) AS keys,
       count(DISTINCT name || char(31) || invocation)      AS name_keys,
       CASE WHEN count(time_s) = count(*) THEN sum(time_s) END AS time_s
FROM tracked_kernel
GROUP BY kernel_set, device, batch
