-- SPDX-License-Identifier: MIT
-- From version 13 to 14: which samples other programs delayed, and steps that occur in some of a
-- recording's iterations only.
CREATE TABLE step_occurrence (
    run        INTEGER NOT NULL,
    position   INTEGER NOT NULL,
    seen_in    INTEGER NOT NULL,
    iterations INTEGER NOT NULL,
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES step ON DELETE CASCADE,
    CHECK (seen_in > 0 AND seen_in < iterations)
) STRICT, WITHOUT ROWID;
CREATE TABLE disturbance (
    run       INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
    series    TEXT NOT NULL,
    position  INTEGER NOT NULL,
    disturbed INTEGER NOT NULL,
    used      TEXT NOT NULL,
    marks     BLOB NOT NULL,
    PRIMARY KEY (run, series, position),
    CHECK (series IN ('step', 'end_to_end', 'instrumented'))
) STRICT;
