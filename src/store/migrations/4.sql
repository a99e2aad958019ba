-- SPDX-License-Identifier: MIT
-- From version 3 to 4: names and notes that users give their runs.
-- What users call their runs: the name stands wherever the run's id does.
CREATE TABLE tag (
    name TEXT PRIMARY KEY NOT NULL,     -- baseline
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE  -- whose
) STRICT, WITHOUT ROWID;

-- What users write about a run.
CREATE TABLE note (
    run  INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    text TEXT NOT NULL                  -- UTF-8
) STRICT;
