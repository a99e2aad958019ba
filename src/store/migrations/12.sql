-- SPDX-License-Identifier: MIT
-- From version 11 to 12: the work of runs whose steps are not kept.
CREATE TABLE run_work (
    run           INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    flops         INTEGER NOT NULL,
    bytes_read    INTEGER NOT NULL,
    bytes_written INTEGER NOT NULL
) STRICT;
