-- SPDX-License-Identifier: MIT
-- From version 7 to 8: what the time stamps around a step cost.
ALTER TABLE run ADD COLUMN empty_step_ns INTEGER;
