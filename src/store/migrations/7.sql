-- SPDX-License-Identifier: MIT
-- From version 6 to 7: a step's status is one word, and its reason stands beside it.
ALTER TABLE step ADD COLUMN reason TEXT;

UPDATE step SET status = substr(status, 1, instr(status, ': ') - 1),
                reason = substr(status, instr(status, ': ') + 2)
WHERE status LIKE '%: %';
