-- SPDX-License-Identifier: MIT
-- The database of strata, version 17.
--
-- One file holds every answer: measured, modelled and imported runs side by side. Times are whole
-- nanoseconds, sizes bytes, work floating-point operations, all 63-bit integers; NULL means that a
-- value is unknown, never that it is 0. Samples are kept completely, as blobs of little-endian IEEE
-- 754 doubles in seconds, in the order they were taken; next to each blob is its summary for SQL:
-- median, and the ends of the median's 95 % interval. Queries should use the views
-- (src/store/views): they keep their names and columns when the tables change.
--
-- `PRAGMA application_id` is 0x53545241 ("STRA"), `PRAGMA user_version` the schema's version.

-- Texts that many rows repeat, each once.
CREATE TABLE text (
    id    INTEGER PRIMARY KEY,      -- referenced by other tables
    value TEXT NOT NULL UNIQUE      -- UTF-8
) STRICT;

-- The ceilings of the runs' machines.
CREATE TABLE device (
    id   INTEGER PRIMARY KEY,    -- referenced by run.device
    toml TEXT NOT NULL UNIQUE    -- a device file as `strata calibrate` writes it
) STRICT;

-- The runs that one command measures. While a plan is open, the same command on the same machine
-- continues where it was interrupted.
CREATE TABLE plan (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused
    created TEXT NOT NULL,       -- UTC, 2026-11-21T13:15:00Z
    key     TEXT NOT NULL,       -- hash of machine, strata's commit and command, 16 hex digits
    command TEXT NOT NULL,       -- the identity: everything that decides the results
    count   INTEGER NOT NULL,    -- number of runs planned
    state   TEXT NOT NULL,       -- open, done: the command starts over
    owner   TEXT NOT NULL,       -- process that works on it: host, process id, its start
    CHECK (state IN ('open', 'done'))
) STRICT;

CREATE INDEX plan_by_key ON plan (key, state);

-- One network measured (modelled, imported) once.
CREATE TABLE run (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,  -- used by users; never reused
    created          TEXT NOT NULL,     -- UTC, 2026-11-21T13:15:00Z
    origin           TEXT NOT NULL,     -- of its times: measured, modelled, imported
    state            TEXT NOT NULL,     -- complete, partial: interrupted, or still running
    backend          TEXT NOT NULL,     -- onednn, pytorch
    network          TEXT NOT NULL,     -- alexnet, model.onnx
    batch            INTEGER NOT NULL,  -- examples per iteration
    mode             TEXT NOT NULL,     -- training, inference
    dtype            TEXT NOT NULL,     -- f32, bf16
    threads          INTEGER NOT NULL,  -- used for the network
    algorithm        TEXT NOT NULL,     -- requested for convolutions: direct, winograd, auto
    policy           TEXT NOT NULL,     -- how long and how carefully it was measured
    key              TEXT NOT NULL,     -- hash of all settings: equal keys are the same experiment
    predicted_memory INTEGER NOT NULL,  -- bytes: peak by liveness
    measured_memory  INTEGER,           -- bytes: peak resident set, minus that before the run
    device           INTEGER REFERENCES device,  -- NULL: the machine was not calibrated
    plan             INTEGER REFERENCES plan,    -- NULL: not part of a plan (any more)
    place            INTEGER,           -- which of the plan's runs, from 0
    empty_step_ns    INTEGER,           -- time of an empty step; NULL: not measured
    ran_on           TEXT,              -- cpu, gpu, tpu; NULL: not recorded, as before version 15
    interval_low_ns  INTEGER,           -- of a modelled time: one of ten measured ones would be shorter
    interval_high_ns INTEGER,           -- of a modelled time: one of ten measured ones would be longer
    interval_basis   INTEGER REFERENCES text,  -- the residuals of predictions that say so
    UNIQUE (plan, place),
    CHECK (origin IN ('measured', 'modelled', 'imported')),
    CHECK (state IN ('partial', 'complete'))
) STRICT;

CREATE INDEX run_by_network ON run (network, batch);

-- Settings of a run besides those that every run has: first-layer-gradient, slice, seed.
CREATE TABLE setting (
    run   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    name  TEXT NOT NULL,                -- seed
    value TEXT NOT NULL,                -- 1
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

-- What is needed to judge or repeat a run: processor, governor, load, versions, commit.
CREATE TABLE provenance (
    run   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    name  INTEGER NOT NULL REFERENCES text,  -- cpu.model
    value INTEGER NOT NULL REFERENCES text,  -- in the machine's own words
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

-- One timed piece of a run: a layer's pass, or a reorder or accumulation that it needs.
CREATE TABLE step (
    run            INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    position       INTEGER NOT NULL,    -- in the order of execution, from 0
    layer          INTEGER NOT NULL REFERENCES text,  -- the layer's name
    operation      INTEGER NOT NULL REFERENCES text,  -- convolution, relu, max_pooling
    pass           TEXT NOT NULL,       -- forward, backward_data, backward_weights, update
    kind           TEXT NOT NULL,       -- compute, reorder, accumulate
    implementation INTEGER NOT NULL REFERENCES text,  -- the library's name: jit:avx512_core
    implementation_kind TEXT NOT NULL DEFAULT 'unknown',  -- unknown, library, library-reference: its plain loops, own: strata's, alias: nothing runs
    algorithm      INTEGER NOT NULL REFERENCES text,  -- direct, winograd; empty: there is no choice
    layout         INTEGER NOT NULL REFERENCES text,  -- of what it reads and writes
    problem        INTEGER NOT NULL REFERENCES text,  -- the layer as a line that strata can run
    workspace      INTEGER NOT NULL,    -- bytes of scratch memory while it runs
    flops          INTEGER NOT NULL,    -- operations by the convention multiply-add-2
    bytes_read     INTEGER NOT NULL,    -- compulsory traffic; for reorders and sums what they move
    bytes_written  INTEGER NOT NULL,    -- likewise
    launch_ns      INTEGER,             -- of a modelled time on a GPU: launches, and waiting for the host; NULL: unknown
    interval_low_ns INTEGER,            -- of a modelled time: one of ten measured ones would be shorter
    interval_high_ns INTEGER,           -- of a modelled time: one of ten measured ones would be longer
    interval_basis INTEGER REFERENCES text,  -- the residuals of predictions that say so
    status         TEXT NOT NULL,       -- measured, skipped, failed, included, no-op; planned: no sample yet
    samples        INTEGER NOT NULL,    -- how many
    median_ns      INTEGER,             -- NULL if nothing was measured
    low_ns         INTEGER,             -- ends of the median's 95 % interval
    high_ns        INTEGER,             -- the upper one
    sample_values  BLOB,                -- doubles, seconds
    reason         TEXT,                -- why skipped or failed; which step includes it; NULL: runs
    PRIMARY KEY (run, position)
) STRICT;

-- New samples of steps while their run is measured: a checkpoint only adds rows. When the run ends
-- they move to step, with their summaries.
CREATE TABLE step_samples (
    run           INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    checkpoint    INTEGER NOT NULL,     -- of this run, from 1: the samples' order
    position      INTEGER NOT NULL,     -- of the step
    sample_values BLOB NOT NULL,        -- doubles, seconds
    PRIMARY KEY (run, checkpoint, position)
) STRICT, WITHOUT ROWID;

-- The whole iteration, sampled alternately with a calibration loop of fixed work.
CREATE TABLE whole (
    run           INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    series        TEXT NOT NULL,        -- end_to_end; instrumented: with stamps; calibration
    samples       INTEGER NOT NULL,     -- how many
    median_ns     INTEGER,              -- NULL if nothing was measured
    low_ns        INTEGER,              -- ends of the median's 95 % interval
    high_ns       INTEGER,              -- the upper one
    sample_values BLOB,                 -- doubles, seconds
    PRIMARY KEY (run, series),
    CHECK (series IN ('end_to_end', 'instrumented', 'calibration'))
) STRICT;

-- The samples that other programs delayed, for series that were watched. The times of such a series
-- are from its other samples.
CREATE TABLE disturbance (
    run       INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    series    TEXT NOT NULL,            -- step; end_to_end, instrumented: whole iterations
    position  INTEGER NOT NULL,         -- of the step; 0 for whole iterations
    disturbed INTEGER NOT NULL,         -- how many samples were delayed
    used      TEXT NOT NULL,            -- all; clean: the others; pooled: those of equal steps; disturbed: all, because too few others
    marks     BLOB NOT NULL,            -- one byte per sample, 1: delayed; empty: none was
    PRIMARY KEY (run, series, position),
    CHECK (series IN ('step', 'end_to_end', 'instrumented'))
) STRICT;

-- The work of an iteration, for a run whose steps are not kept; else it is their sum.
CREATE TABLE run_work (
    run           INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    flops         INTEGER NOT NULL,     -- operations by the convention multiply-add-2
    bytes_read    INTEGER NOT NULL,     -- compulsory traffic
    bytes_written INTEGER NOT NULL      -- likewise
) STRICT;

-- The source of the images that a run was also fed with, each step with a new batch.
CREATE TABLE infeed (
    run           INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    source        TEXT NOT NULL,        -- synthetic, or a folder's own name
    images        INTEGER NOT NULL,     -- distinct images
    encoded_bytes INTEGER NOT NULL,     -- of all images, as JPEG
    pixels        INTEGER NOT NULL,     -- of all images
    threads       INTEGER NOT NULL      -- used to decode and augment
) STRICT;

-- The times of feeding, by iteration.
CREATE TABLE infeed_time (
    run           INTEGER NOT NULL REFERENCES infeed ON DELETE CASCADE,  -- whose
    series        TEXT NOT NULL,        -- step: input ready; serial: decode, augment, produce, copy; overlapped: waiting, copying
    samples       INTEGER NOT NULL,     -- how many
    median_ns     INTEGER NOT NULL,     -- decode and augment in processor time, all threads'
    low_ns        INTEGER NOT NULL,     -- ends of the median's 95 % interval
    high_ns       INTEGER NOT NULL,     -- the upper one
    sample_values BLOB NOT NULL,        -- doubles, seconds
    PRIMARY KEY (run, series)
) STRICT;

-- Doubts about a run's measurements.
CREATE TABLE flag (
    run      INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    position INTEGER NOT NULL,          -- from 0
    kind     TEXT NOT NULL,             -- drift, bimodal, noisy-neighbour, imprecise, steal
    sentence TEXT NOT NULL,             -- the doubt with its magnitude
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The kernels of one network's iteration, measured or imported: Dong et al.'s dictionary.
CREATE TABLE kernel_set (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused
    created TEXT NOT NULL,              -- UTC, 2026-11-21T13:15:00Z
    origin  TEXT NOT NULL,              -- measured, imported
    network TEXT NOT NULL,              -- alexnet
    source  TEXT NOT NULL,              -- the imported file; empty: measured here
    content TEXT NOT NULL UNIQUE,       -- hash of the content, so that it is stored once
    CHECK (origin IN ('measured', 'modelled', 'imported'))
) STRICT;

-- A kernel and the layer's pass that it is part of. Device, batch, full name and invocation
-- identify it in other runs of the same iteration; the bare name does not distinguish kernels.
CREATE TABLE kernel (
    id         INTEGER PRIMARY KEY,     -- referenced by kernel_metric
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
    grid_x     INTEGER,                 -- blocks; NULL: unknown, and so are all below
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

-- The counters of a kernel. A metric that could not be counted is NULL with its reason, never 0.
CREATE TABLE kernel_metric (
    kernel INTEGER NOT NULL REFERENCES kernel ON DELETE CASCADE,  -- whose
    metric INTEGER NOT NULL REFERENCES text,  -- dram_bytes_read
    unit   TEXT NOT NULL,               -- B, FLOP, %
    value  REAL,                        -- NULL: see reason
    reason TEXT,                        -- why there is no value
    PRIMARY KEY (kernel, metric),
    CHECK ((value IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Iterations of a run recorded by a tracer after timing.
CREATE TABLE trace (
    run         INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    device      INTEGER NOT NULL REFERENCES text,  -- NVIDIA H200
    kernel_set  INTEGER NOT NULL REFERENCES kernel_set,  -- its kernels with their keys
    dropped     INTEGER NOT NULL,       -- records that never arrived: sums are lower bounds
    window_ns   INTEGER,                -- median of all: first start to last end
    windows     BLOB NOT NULL,          -- doubles, seconds, one per iteration
    recorded_ns INTEGER,                -- median time of an iteration while it was recorded
    recorded    BLOB NOT NULL           -- doubles, seconds, one per iteration
) STRICT;

-- The work of a device in the iteration of median window.
CREATE TABLE trace_span (
    run        INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    position   INTEGER NOT NULL,        -- by start, from 0; spans without time stamps are last
    kind       TEXT NOT NULL,           -- kernel, copy, fill
    name       INTEGER NOT NULL REFERENCES text,  -- in full; for a copy its direction
    device     INTEGER NOT NULL,        -- its number
    stream     INTEGER NOT NULL,        -- likewise
    start_ns   INTEGER NOT NULL,        -- by the device's clock; 0: no stamp
    end_ns     INTEGER NOT NULL,        -- likewise
    layer      INTEGER REFERENCES text, -- NULL: not attributed
    pass       TEXT,                    -- forward, backward_data, backward_weights, update
    evidence   TEXT NOT NULL,           -- why it is attributed so, or not at all
    bytes      INTEGER,                 -- of copies and fills
    grid_x     INTEGER,                 -- blocks; NULL: not a kernel, like all below
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

-- The counters of a step. A metric that could not be counted is NULL with its reason, never 0.
CREATE TABLE step_metric (
    run      INTEGER NOT NULL,          -- whose
    position INTEGER NOT NULL,          -- the step's
    counted_at INTEGER NOT NULL,        -- position of the counted step: this or an equal one
    metric   INTEGER NOT NULL REFERENCES text,  -- dram_read
    unit     TEXT NOT NULL,             -- B, FLOP, %
    value    REAL,                      -- NULL: see reason
    reason   INTEGER REFERENCES text,   -- why there is no value
    PRIMARY KEY (run, position, metric),
    FOREIGN KEY (run, position) REFERENCES step ON DELETE CASCADE,
    CHECK ((value IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Users' names of runs: a name can replace the run's id anywhere.
CREATE TABLE tag (
    name TEXT PRIMARY KEY NOT NULL,     -- baseline
    run  INTEGER NOT NULL REFERENCES run ON DELETE CASCADE  -- whose
) STRICT, WITHOUT ROWID;

-- Users' notes on a run.
CREATE TABLE note (
    run  INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    text TEXT NOT NULL                  -- UTF-8
) STRICT;

-- The runs whose steps were compared with the reference before they were timed.
CREATE TABLE verification (
    run               INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,  -- whose
    compared          INTEGER NOT NULL,  -- steps
    without_reference INTEGER NOT NULL   -- steps that ran but could not be compared
) STRICT;

-- The error of a step's results against the reference.
CREATE TABLE step_check (
    run       INTEGER NOT NULL,         -- whose
    position  INTEGER NOT NULL,         -- the step's
    error     REAL NOT NULL,            -- largest difference over the scale of the values
    tolerance REAL NOT NULL,            -- by element type and length of the sums
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES step ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- A step that occurs only in some of a recording's iterations. Its one sample is the sum of its times
-- in all of them, divided by their number.
CREATE TABLE step_occurrence (
    run        INTEGER NOT NULL,        -- whose
    position   INTEGER NOT NULL,        -- the step's
    seen_in    INTEGER NOT NULL,        -- iterations in which it occurs
    iterations INTEGER NOT NULL,        -- recorded iterations
    PRIMARY KEY (run, position),
    FOREIGN KEY (run, position) REFERENCES step ON DELETE CASCADE,
    CHECK (seen_in > 0 AND seen_in < iterations)
) STRICT, WITHOUT ROWID;

-- The name of a layer in the network's file, if it differs (PyTorch's node names).
CREATE TABLE layer_alias (
    run   INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,  -- whose
    layer INTEGER NOT NULL REFERENCES text,  -- the layer's name
    alias INTEGER NOT NULL REFERENCES text,  -- node_Conv_7
    PRIMARY KEY (run, layer)
) STRICT, WITHOUT ROWID;

-- The scope of tunings.
CREATE TABLE tuning_scope (
    id           INTEGER PRIMARY KEY,   -- referenced by the trials and tunings below
    machine      INTEGER NOT NULL REFERENCES text,  -- processor model and count
    instructions INTEGER NOT NULL REFERENCES text,  -- the library's instruction set: AVX-512
    library      INTEGER NOT NULL REFERENCES text,  -- onednn 2.6.3
    kernels      TEXT NOT NULL,         -- version of strata's own kernels
    threads      INTEGER NOT NULL,  -- used for the network
    dtype        TEXT NOT NULL,         -- f32, bf16
    mode         TEXT NOT NULL,         -- training, inference
    fusion       TEXT NOT NULL,         -- off; on: convolutions with the layers that follow them
    UNIQUE (machine, instructions, library, kernels, threads, dtype, mode, fusion)
) STRICT;

-- A candidate for one pass of a convolution or linear layer against the usual algorithm, in the running network.
CREATE TABLE tuning_trial (
    scope          INTEGER NOT NULL REFERENCES tuning_scope ON DELETE CASCADE,  -- where it holds
    problem        INTEGER NOT NULL REFERENCES text,  -- the layer as a line that strata can run
    pass           TEXT NOT NULL,       -- forward, backward_data, backward_weights
    algorithm      TEXT NOT NULL,       -- winograd-4x4-3x3, fft-tiled, matmul
    implementation INTEGER NOT NULL REFERENCES text,  -- the library's name
    created        TEXT NOT NULL,       -- UTC, 2026-11-21T13:15:00Z
    ratio          REAL,                -- its time over the usual one's; NULL: see reason
    ratio_low      REAL,                -- ends of the ratio's 95 % interval
    ratio_high     REAL,                -- the upper one
    usual_ns       INTEGER,             -- median of the usual algorithm, reorders included
    own_ns         INTEGER,             -- likewise of the candidate
    rounds         INTEGER NOT NULL,    -- in which both alternated
    reason         TEXT,                -- why it has no ratio; NULL: it has
    PRIMARY KEY (scope, problem, pass, algorithm),
    CHECK ((ratio IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The algorithm that runs use for one pass of a convolution or linear layer unless another is
-- requested.
CREATE TABLE tuning (
    scope          INTEGER NOT NULL REFERENCES tuning_scope ON DELETE CASCADE,  -- where it holds
    problem        INTEGER NOT NULL REFERENCES text,  -- the layer as a line that strata can run
    pass           TEXT NOT NULL,       -- forward, backward_data, backward_weights
    algorithm      TEXT NOT NULL,       -- auto, usual: no candidate was surely faster
    implementation INTEGER NOT NULL REFERENCES text,  -- the library's name
    created        TEXT NOT NULL,       -- UTC, 2026-11-21T13:15:00Z
    network        INTEGER NOT NULL REFERENCES text,  -- in which it was measured
    candidates     INTEGER NOT NULL,    -- measured candidates
    ratio          REAL,                -- of the step with all choices; NULL: the usual one
    ratio_low      REAL,                -- ends of the ratio's 95 % interval
    ratio_high     REAL,                -- the upper one
    PRIMARY KEY (scope, problem, pass)
) STRICT, WITHOUT ROWID;

-- A grid of networks that is measured or predicted point by point. The same specification finds the
-- same sweep and continues it.
CREATE TABLE sweep (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused
    created  TEXT NOT NULL,             -- UTC, 2026-11-21T13:15:00Z
    name     TEXT NOT NULL,             -- paradnn-fc
    key      TEXT NOT NULL UNIQUE,      -- hash of the identity
    identity TEXT NOT NULL,             -- everything that decides the points and their order
    points   INTEGER NOT NULL           -- in the grid
) STRICT;

-- The outcome of a point of a sweep. A point that was not begun has no row.
CREATE TABLE sweep_point (
    sweep    INTEGER NOT NULL REFERENCES sweep ON DELETE CASCADE,  -- whose
    position INTEGER NOT NULL,          -- in the grid, from 0
    repeat   INTEGER NOT NULL,          -- 0; for the anchor: the place in the order that it precedes, from 1
    network  TEXT NOT NULL,             -- fc:layers=4,nodes=32,inputs=2000,outputs=200
    batch    INTEGER NOT NULL,          -- examples per iteration
    mode     TEXT NOT NULL,             -- training, inference
    dtype    TEXT NOT NULL,             -- f32, bf16
    threads  INTEGER NOT NULL,          -- requested; 0: all
    backend  TEXT NOT NULL,             -- onednn, modelled:v100
    outcome  TEXT NOT NULL,             -- ok, out-of-memory, timeout, skipped, failed; claimed: begun
    reason   TEXT,                      -- why it is not ok; NULL: it is ok or claimed
    owner    TEXT,                      -- process that claimed it; NULL: it has its outcome
    run      INTEGER REFERENCES run ON DELETE SET NULL,  -- NULL: it has none (any more)
    PRIMARY KEY (sweep, position, repeat),
    CHECK (outcome IN ('claimed', 'ok', 'out-of-memory', 'timeout', 'skipped', 'failed')),
    CHECK ((owner IS NOT NULL) = (outcome = 'claimed'))
) STRICT, WITHOUT ROWID;

CREATE INDEX sweep_point_by_run ON sweep_point (run);
