-- SPDX-License-Identifier: MIT
-- From version 1 to 2: kernels.
-- The kernels of one network's iteration, measured or imported: Dong et al.'s dictionary.
CREATE TABLE kernel_set (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again
    created TEXT NOT NULL,              -- UTC, 2026-11-21T13:15:00Z
    origin  TEXT NOT NULL,              -- measured, imported
    network TEXT NOT NULL,              -- alexnet
    source  TEXT NOT NULL,              -- file that it was imported from; empty: measured here
    content TEXT NOT NULL UNIQUE,       -- hash of what it holds, so that it is stored once
    CHECK (origin IN ('measured', 'modelled', 'imported'))
) STRICT;

-- One kernel and the layer's pass that it does. It is found again in another run of the same
-- iteration by device, batch, full name and invocation; the bare name does not tell kernels apart.
CREATE TABLE kernel (
    id         INTEGER PRIMARY KEY,     -- what kernel_metric refers to
    kernel_set INTEGER NOT NULL REFERENCES kernel_set ON DELETE CASCADE,  -- whose
    device     INTEGER NOT NULL REFERENCES text,  -- pascal, NVIDIA H200
    batch      INTEGER NOT NULL,        -- examples per iteration
    full_name  INTEGER NOT NULL REFERENCES text,  -- with template arguments
    invocation INTEGER NOT NULL,        -- of that full name in one iteration, from 1
    position   INTEGER NOT NULL,        -- in the set, from 0
    name       INTEGER NOT NULL REFERENCES text,  -- bare
    layer      INTEGER REFERENCES text, -- NULL: not attributed
    pass       TEXT,                    -- forward, backward_data, backward_weights, update
    time_ns    INTEGER,                 -- NULL: only the identity is known
    grid_x     INTEGER,                 -- blocks; NULL: not known, and so are all below
    grid_y     INTEGER,                 -- likewise
    grid_z     INTEGER,                 -- likewise
    block_x    INTEGER,                 -- threads of a block
    block_y    INTEGER,                 -- likewise
    block_z    INTEGER,                 -- likewise
    registers  INTEGER,                 -- per thread
    static_shared  INTEGER,             -- bytes per block
    dynamic_shared INTEGER,             -- bytes per block
    UNIQUE (kernel_set, device, batch, full_name, invocation),
    CHECK ((layer IS NULL) = (pass IS NULL))
) STRICT;

-- What counters say of a kernel. A metric that could not be had is NULL with its reason, never 0.
CREATE TABLE kernel_metric (
    kernel INTEGER NOT NULL REFERENCES kernel ON DELETE CASCADE,  -- whose
    metric INTEGER NOT NULL REFERENCES text,  -- dram_bytes_read
    unit   TEXT NOT NULL,               -- B, FLOP, %
    value  REAL,                        -- NULL: see reason
    reason TEXT,                        -- why there is no value
    PRIMARY KEY (kernel, metric),
    CHECK ((value IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;
