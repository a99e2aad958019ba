-- SPDX-License-Identifier: MIT
-- From version 5 to 6: checkpoints add the new samples instead of writing all of them again.
-- What steps gained in samples since their run began, while it is measured: a checkpoint only adds
-- rows. When the run ends they move to step, and what was computed from them stands there too.
CREATE TABLE step_samples (
    run           INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    checkpoint    INTEGER NOT NULL,     -- of this run, from 1: the samples' order
    position      INTEGER NOT NULL,     -- of the step
    sample_values BLOB NOT NULL,        -- doubles, seconds
    PRIMARY KEY (run, checkpoint, position)
) STRICT, WITHOUT ROWID;
