-- SPDX-License-Identifier: MIT
-- One row per set, device, batch, pass and bare name: how many layers a kernel serves, in how many
-- template variants, and its total time (NULL if one was not timed). A kernel that serves several
-- layers cannot be attributed by name.
CREATE VIEW kernel_use AS
SELECT kernel_set, origin, network, device, batch, pass, name,
       count(DISTINCT full_name) AS variants,
       count(DISTINCT layer)     AS layers,
       count(*)                  AS kernels,
       CASE WHEN count(time_s) = count(*) THEN sum(time_s) END AS time_s
FROM tracked_kernel
GROUP BY kernel_set, device, batch, pass, name
