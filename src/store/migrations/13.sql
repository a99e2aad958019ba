-- SPDX-License-Identifier: MIT
-- From version 12 to 13: iterations that were fed with images.
CREATE TABLE infeed (
    run           INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
    source        TEXT NOT NULL,
    images        INTEGER NOT NULL,
    encoded_bytes INTEGER NOT NULL,
    pixels        INTEGER NOT NULL,
    threads       INTEGER NOT NULL
) STRICT;

CREATE TABLE infeed_time (
    run           INTEGER NOT NULL REFERENCES infeed ON DELETE CASCADE,
    series        TEXT NOT NULL,
    samples       INTEGER NOT NULL,
    median_ns     INTEGER NOT NULL,
    low_ns        INTEGER NOT NULL,
    high_ns       INTEGER NOT NULL,
    sample_values BLOB NOT NULL,
    PRIMARY KEY (run, series)
) STRICT;
