-- SPDX-License-Identifier: MIT
-- The tuned algorithm of each pass of a convolution or linear layer, with its gain: ratio is its
-- time over that of the usual one, NULL if no candidate was certainly faster.
CREATE VIEW tuned_algorithm AS
SELECT machine.value        AS machine,
       instructions.value   AS instructions,
       library.value        AS library,
       tuning_scope.kernels AS kernels_version,
       tuning_scope.threads AS threads,
       tuning_scope.dtype   AS dtype,
       tuning_scope.mode    AS mode,
       tuning_scope.fusion  AS fusion,
       problem.value        AS problem,
       tuning.pass          AS pass,
       tuning.algorithm     AS algorithm,
       implementation.value AS implementation,
       tuning.ratio         AS ratio,
       tuning.ratio_low     AS ratio_low,
       tuning.ratio_high    AS ratio_high,
       tuning.candidates    AS candidates,
       network.value        AS network,
       tuning.created       AS created
FROM tuning
JOIN tuning_scope ON tuning_scope.id = tuning.scope
JOIN text AS machine ON machine.id = tuning_scope.machine
JOIN text AS instructions ON instructions.id = tuning_scope.instructions
JOIN text AS library ON library.id = tuning_scope.library
JOIN text AS problem ON problem.id = tuning.problem
JOIN text AS implementation ON implementation.id = tuning.implementation
JOIN text AS network ON network.id = tuning.network
