-- SPDX-License-Identifier: MIT
-- From version 2 to 3: traces and counters of runs.
-- Iterations of a run that a tracer recorded, after it was timed.
CREATE TABLE trace (
    run         INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    device      INTEGER NOT NULL REFERENCES text,  -- NVIDIA H200
    kernel_set  INTEGER NOT NULL REFERENCES kernel_set,  -- its kernels, to be found again
    dropped     INTEGER NOT NULL,       -- records that never arrived: sums are lower bounds
    window_ns   INTEGER,                -- median of all: first start to last end
    windows     BLOB NOT NULL,          -- doubles, seconds, one per iteration
    recorded_ns INTEGER,                -- median time of an iteration while it was recorded
    recorded    BLOB NOT NULL           -- doubles, seconds, one per iteration
) STRICT;

-- What a device did in the iteration whose window is the median.
CREATE TABLE trace_span (
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    position   INTEGER NOT NULL,        -- by start, from 0; what has no time stamps stands last
    kind       TEXT NOT NULL,           -- kernel, copy, fill
    name       INTEGER NOT NULL REFERENCES text,  -- in full; of a copy its direction
    device     INTEGER NOT NULL,        -- its number
    stream     INTEGER NOT NULL,        -- likewise
    start_ns   INTEGER NOT NULL,        -- by the device's clock; 0: no stamp
    end_ns     INTEGER NOT NULL,        -- likewise
    layer      INTEGER REFERENCES text, -- NULL: not attributed
    pass       TEXT,                    -- forward, backward_data, backward_weights, update
    evidence   TEXT NOT NULL,           -- why it is attributed so, or to nothing
    bytes      INTEGER,                 -- of copies and fills
    grid_x     INTEGER,                 -- blocks; NULL: no kernel, as all below
    grid_y     INTEGER,                 -- likewise
    grid_z     INTEGER,                 -- likewise
    block_x    INTEGER,                 -- threads of a block
    block_y    INTEGER,                 -- likewise
    block_z    INTEGER,                 -- likewise
    registers  INTEGER,                 -- per thread
    static_shared  INTEGER,             -- bytes per block
    dynamic_shared INTEGER,             -- bytes per block
    PRIMARY KEY (run, position),
    CHECK (kind IN ('kernel', 'copy', 'fill')),
    CHECK ((layer IS NULL) = (pass IS NULL))
) STRICT, WITHOUT ROWID;

-- What counters say of a step. A metric that could not be had is NULL with its reason, never 0.
CREATE TABLE step_metric (
    run      INTEGER NOT NULL,          -- whose
    position INTEGER NOT NULL,          -- the step's
    counted_at INTEGER NOT NULL,        -- position of the step that was counted: this or a like one
    metric   INTEGER NOT NULL REFERENCES text,  -- dram_read
    unit     TEXT NOT NULL,             -- B, FLOP, %
    value    REAL,                      -- NULL: see reason
    reason   INTEGER REFERENCES text,   -- why there is no value
    PRIMARY KEY (run, position, metric),
    FOREIGN KEY (run, position) REFERENCES step ON DELETE CASCADE,
    CHECK ((value IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;
