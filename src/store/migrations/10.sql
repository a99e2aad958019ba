-- SPDX-License-Identifier: MIT
-- From version 9 to 10: tunings hold for training or inference, fused or not. Those of version 9
-- were unfused; passes backward are of training.
CREATE TABLE earlier_scope AS
SELECT *,
       CASE WHEN EXISTS (SELECT * FROM tuning_trial
                         WHERE tuning_trial.scope = tuning_scope.id AND pass <> 'forward')
            THEN 'training' ELSE 'inference' END AS mode
FROM tuning_scope;
CREATE TABLE earlier_trial AS SELECT * FROM tuning_trial;
CREATE TABLE earlier_tuning AS SELECT * FROM tuning;

DROP VIEW IF EXISTS tuned_algorithm;
DROP TABLE tuning;
DROP TABLE tuning_trial;
DROP TABLE tuning_scope;

CREATE TABLE tuning_scope (
    id           INTEGER PRIMARY KEY,
    machine      INTEGER NOT NULL REFERENCES text,
    instructions INTEGER NOT NULL REFERENCES text,
    library      INTEGER NOT NULL REFERENCES text,
    kernels      TEXT NOT NULL,
    threads      INTEGER NOT NULL,
    dtype        TEXT NOT NULL,
    mode         TEXT NOT NULL,
    fusion       TEXT NOT NULL,
    UNIQUE (machine, instructions, library, kernels, threads, dtype, mode, fusion)
) STRICT;

CREATE TABLE tuning_trial (
    scope          INTEGER NOT NULL REFERENCES tuning_scope ON DELETE CASCADE,
    problem        INTEGER NOT NULL REFERENCES text,
    pass           TEXT NOT NULL,
    algorithm      TEXT NOT NULL,
    implementation INTEGER NOT NULL REFERENCES text,
    created        TEXT NOT NULL,
    ratio          REAL,
    ratio_low      REAL,
    ratio_high     REAL,
    usual_ns       INTEGER,
    own_ns         INTEGER,
    rounds         INTEGER NOT NULL,
    reason         TEXT,
    PRIMARY KEY (scope, problem, pass, algorithm),
    CHECK ((ratio IS NULL) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE tuning (
    scope          INTEGER NOT NULL REFERENCES tuning_scope ON DELETE CASCADE,
    problem        INTEGER NOT NULL REFERENCES text,
    pass           TEXT NOT NULL,
    algorithm      TEXT NOT NULL,
    implementation INTEGER NOT NULL REFERENCES text,
    created        TEXT NOT NULL,
    network        INTEGER NOT NULL REFERENCES text,
    candidates     INTEGER NOT NULL,
    ratio          REAL,
    ratio_low      REAL,
    ratio_high     REAL,
    PRIMARY KEY (scope, problem, pass)
) STRICT, WITHOUT ROWID;

INSERT INTO tuning_scope (id, machine, instructions, library, kernels, threads, dtype, mode, fusion)
SELECT id, machine, instructions, library, kernels, threads, dtype, mode, 'off'
FROM earlier_scope;
INSERT INTO tuning_trial SELECT * FROM earlier_trial;
INSERT INTO tuning SELECT * FROM earlier_tuning;

DROP TABLE earlier_scope;
DROP TABLE earlier_trial;
DROP TABLE earlier_tuning;
