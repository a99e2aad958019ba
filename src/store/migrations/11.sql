-- SPDX-License-Identifier: MIT
-- From version 10 to 11: sweeps, and what became of each of their points.
CREATE TABLE sweep (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    created  TEXT NOT NULL,
    name     TEXT NOT NULL,
    key      TEXT NOT NULL UNIQUE,
    identity TEXT NOT NULL,
    points   INTEGER NOT NULL
) STRICT;

CREATE TABLE sweep_point (
    sweep    INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,
    position INTEGER NOT NULL,
    repeat   INTEGER NOT NULL,
    network  TEXT NOT NULL,
    batch    INTEGER NOT NULL,
    mode     TEXT NOT NULL,
    dtype    TEXT NOT NULL,
    threads  INTEGER NOT NULL,
    backend  TEXT NOT NULL,
    outcome  TEXT NOT NULL,
    reason   TEXT,
    owner    TEXT,
    run      INTEGER REFERENCES run ON DELETE SET NULL,
    PRIMARY KEY (sweep, position, repeat),
    CHECK (outcome IN ('claimed', 'ok', 'out-of-memory', 'timeout', 'skipped', 'failed')),
    CHECK ((owner IS NOT NULL) = (outcome = 'claimed'))
) STRICT, WITHOUT ROWID;

CREATE INDEX sweep_point_by_run ON sweep_point (run);
