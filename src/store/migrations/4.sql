-- SPDX-License-Identifier: MIT
-- From version 3 to 4: names and notes that users give their runs; what verification found.
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

-- That a run's steps were compared with the reference before they were timed.
CREATE TABLE verification (
    run               INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    compared          INTEGER NOT NULL,  -- steps
    without_reference INTEGER NOT NULL   -- steps that ran and that nothing could be compared with
) STRICT;

-- How far a step's results lie from the reference's.
CREATE TABLE step_check (
    run       INTEGER NOT NULL,         -- whose
    position  INTEGER NOT NULL,         -- the step's
    error     REAL NOT NULL,            -- largest difference over the scale of the values
    tolerance REAL NOT NULL,            -- by element type and length of the sums
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES step ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What is computed along with another pass is no hole.
UPDATE step SET status = 'included: ' || (SELECT value FROM text WHERE id = step.layer)
                         || ' backward_data'
WHERE status LIKE 'skipped: %: computed together with backward_data';
