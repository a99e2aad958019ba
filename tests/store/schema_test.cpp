// SPDX-License-Identifier: MIT
#include "store/schema.h"

#include "store/statement.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

// A small schema with a history: version 2 renamed a column, version 3 added a table.
constexpr std::array history = {
    Migration{.to = 2, .sql = "ALTER TABLE animal RENAME COLUMN legs TO leg_count"},
    Migration{.to = 3, .sql = "CREATE TABLE food (name TEXT) STRICT"},
};
constexpr std::array<std::string_view, 1> old_views = {
    "CREATE VIEW tall AS SELECT name FROM animal WHERE legs > 1"};
constexpr std::array<std::string_view, 1> new_views = {
    "-- Animals with legs.\nCREATE VIEW tall AS SELECT name FROM animal WHERE leg_count > 3"};

constexpr Schema first_schema{.application_id = 77,
                              .version = 1,
                              .tables = "CREATE TABLE animal (name TEXT, legs INTEGER) STRICT",
                              .migrations = {},
                              .views = old_views};
constexpr Schema third{.application_id = 77,
                       .version = 3,
                       .tables =
                           "CREATE TABLE animal (name TEXT, leg_count INTEGER) STRICT;"
                           "CREATE TABLE food (name TEXT) STRICT",
                       .migrations = history,
                       .views = new_views};

class SchemaTest : public ::testing::Test {
protected:
    std::filesystem::path make_old() const {
        const Database old = Database::open(file_, first_schema);
        old.execute("INSERT INTO animal VALUES ('hen', 2), ('cow', 4)");
        return file_;
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "zoo.sqlite";
};

std::string only_text(const Database& database, std::string_view sql) {
    Statement statement(database, sql);
    statement.start().next();
    return statement.text(0);
}

TEST_F(SchemaTest, AnOlderDatabaseIsBroughtUpToDateWithItsContent) {
    const Database database = Database::open(make_old(), third);
    EXPECT_EQ(schema_version(database), 3);
    EXPECT_EQ(only_text(database, "SELECT group_concat(leg_count) FROM animal"), "2,4");
    EXPECT_EQ(only_text(database, "SELECT count(*) FROM food"), "0");
}

TEST_F(SchemaTest, ViewsThatChangedAreReplaced) {
    EXPECT_EQ(only_text(Database::open(make_old(), first_schema), "SELECT count(*) FROM tall"),
              "2");
    EXPECT_EQ(only_text(Database::open(file_, third), "SELECT count(*) FROM tall"), "1");
}

TEST_F(SchemaTest, ReadingAnOlderDatabaseBringsItUpToDateToo) {
    const Database database = Database::open_existing(make_old(), third);
    EXPECT_EQ(only_text(database, "SELECT sum(leg_count) FROM animal"), "6");
}

TEST_F(SchemaTest, AMigrationThatFailsLeavesTheOldDatabase) {
    static constexpr std::array broken = {history[0], Migration{.to = 3, .sql = "CREATE nonsense"}};
    Schema schema = third;
    schema.migrations = broken;
    make_old();
    EXPECT_NE(error_of([&] { Database::open(file_, schema); }), "no error");
    const Database old = Database::open(file_, first_schema);
    EXPECT_EQ(only_text(old, "SELECT sum(legs) FROM animal"), "6");
}

TEST_F(SchemaTest, AMigratedDatabaseEqualsANewOne) {
    const auto dump = [](const std::filesystem::path& file) {
        return only_text(Database::open(file, third),
                         "SELECT group_concat(m.name || '.' || c.name || ' ' || c.type) "
                         "FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
                         "ORDER BY m.name, c.cid");
    };
    EXPECT_EQ(dump(make_old()), dump(directory_.path() / "new.sqlite"));
}

TEST_F(SchemaTest, ANewerDatabaseIsRefusedAndSaysWhatToDo) {
    { Database::open(file_, third); }
    for (const auto open : {Database::open, Database::open_existing}) {
        const std::string sentence = error_of([&] { open(file_, first_schema); });
        EXPECT_NE(sentence.find("has version 3"), std::string::npos) << sentence;
        EXPECT_NE(sentence.find("update strata"), std::string::npos) << sentence;
    }
}

// Everything in a database except the views, which need no version. (An added column has another
// position in the text of its table.)
std::string tables_of(const Database& database) {
    return only_text(
        database,
        "SELECT group_concat(of.type || of.name || ' ' || coalesce(tells.name || ' ' || tells.type "
        "|| tells.\"notnull\" || tells.pk, of.sql, ''), char(10)) "
        "FROM (SELECT * FROM sqlite_master WHERE type <> 'view' ORDER BY type, name) AS of "
        "LEFT JOIN pragma_table_info(of.name) AS tells");
}

TEST_F(SchemaTest, ADatabaseOfVersionOneBecomesOneLikeANewOne) {
    const std::string fresh = tables_of(Database::open(directory_.path() / "new.sqlite"));
    {
        const Database old = Database::open(file_);
        old.execute(
            "DROP TABLE step_occurrence; DROP TABLE disturbance; DROP VIEW infeed_summary; DROP "
            "TABLE "
            "infeed_time; DROP TABLE "
            "infeed;"
            "DROP TABLE run_work; DROP VIEW sweep_result; DROP VIEW run_parameter; DROP TABLE "
            "sweep_point; DROP TABLE "
            "sweep;"
            "DROP VIEW tuned_algorithm; DROP TABLE tuning; DROP TABLE tuning_trial; DROP TABLE "
            "tuning_scope;"
            "DROP VIEW trace_time; DROP VIEW step_counter; DROP VIEW kernel_use; DROP VIEW "
            "kernel_census; DROP VIEW tracked_kernel;"
            "DROP VIEW step_time; DROP VIEW layer_time; DROP VIEW run_summary;"
            "DROP TABLE step_samples; DROP TABLE layer_alias; DROP TABLE note; DROP TABLE tag; "
            "DROP TABLE step_check; DROP "
            "TABLE verification;"
            "DROP TABLE step_metric; DROP TABLE trace_span; DROP TABLE trace;"
            "DROP TABLE kernel_metric; DROP TABLE kernel; DROP TABLE kernel_set;"
            "ALTER TABLE step DROP COLUMN reason;"
            "ALTER TABLE run DROP COLUMN empty_step_ns;"
            "PRAGMA user_version = 1");
        EXPECT_NE(tables_of(old), fresh);
    }
    const Database database = Database::open(file_);
    EXPECT_EQ(tables_of(database), fresh);
    EXPECT_EQ(only_text(database, "SELECT count(*) FROM kernel_use"), "0");
}

// Up to version 3, the weights' gradient of a normalisation that is computed together with its
// data's counted as skipped.
TEST_F(SchemaTest, AnIncludedStepIsNotAHoleOfAnOldRunEither) {
    {
        const Database old = Database::open(file_);
        old.execute(
            "INSERT INTO text (id, value) VALUES (1, 'bn1');"
            "INSERT INTO run (id, created, origin, state, backend, network, batch, mode, dtype, "
            "threads, algorithm, policy, key, predicted_memory) VALUES (1, '', 'measured', "
            "'complete', '', '', 1, '', '', 1, '', '', '', 0);"
            "INSERT INTO step (run, position, layer, operation, pass, kind, implementation, "
            "algorithm, layout, problem, workspace, flops, bytes_read, bytes_written, status, "
            "samples) VALUES (1, 0, 1, 1, 'backward_weights', 'compute', 1, 1, 1, 1, 0, 0, 0, 0, "
            "'skipped: batch_normalization: computed together with backward_data', 0), "
            "(1, 1, 1, 1, 'forward', 'compute', 1, 1, 1, 1, 0, 0, 0, 0, 'skipped: no kernel', 0);"
            "DROP TABLE step_occurrence; DROP TABLE disturbance; DROP VIEW infeed_summary; DROP "
            "TABLE "
            "infeed_time; DROP TABLE "
            "infeed;"
            "DROP TABLE run_work; DROP VIEW sweep_result; DROP VIEW run_parameter; DROP TABLE "
            "sweep_point; DROP TABLE "
            "sweep;"
            "DROP VIEW step_time; DROP VIEW layer_time; DROP VIEW run_summary; "
            "DROP VIEW tuned_algorithm; DROP TABLE tuning; DROP TABLE tuning_trial; "
            "DROP TABLE tuning_scope; "
            "DROP TABLE step_samples; DROP TABLE layer_alias; DROP TABLE note; DROP TABLE tag; "
            "DROP TABLE step_check; DROP TABLE verification;"
            "ALTER TABLE step DROP COLUMN reason;"
            "ALTER TABLE run DROP COLUMN empty_step_ns;"
            "PRAGMA user_version = 3");
    }
    EXPECT_EQ(
        only_text(Database::open(file_), "SELECT group_concat(status || ' ' || reason) FROM step"),
        "included bn1 backward_data,skipped no kernel");
}

// Up to version 9, tunings had a mode of neither training nor inference, and were never fused.
TEST_F(SchemaTest, TuningsOfVersionNineAreKept) {
    {
        const Database old = Database::open(file_);
        old.execute(
            "DROP TABLE step_occurrence; DROP TABLE disturbance; DROP VIEW infeed_summary; DROP "
            "TABLE "
            "infeed_time; DROP TABLE "
            "infeed;"
            "DROP TABLE run_work; DROP VIEW sweep_result; DROP VIEW run_parameter; DROP TABLE "
            "sweep_point; DROP TABLE "
            "sweep;"
            "DROP VIEW tuned_algorithm; DROP TABLE tuning; DROP TABLE tuning_trial; "
            "DROP TABLE tuning_scope;"
            "CREATE TABLE tuning_scope (id INTEGER PRIMARY KEY, machine INTEGER NOT NULL "
            "REFERENCES "
            "text, instructions INTEGER NOT NULL REFERENCES text, library INTEGER NOT NULL "
            "REFERENCES text, kernels TEXT NOT NULL, threads INTEGER NOT NULL, dtype TEXT NOT "
            "NULL, "
            "UNIQUE (machine, instructions, library, kernels, threads, dtype)) STRICT;"
            "CREATE TABLE tuning_trial (scope INTEGER NOT NULL REFERENCES tuning_scope ON DELETE "
            "CASCADE, problem INTEGER NOT NULL REFERENCES text, pass TEXT NOT NULL, algorithm TEXT "
            "NOT NULL, implementation INTEGER NOT NULL REFERENCES text, created TEXT NOT NULL, "
            "ratio REAL, ratio_low REAL, ratio_high REAL, usual_ns INTEGER, own_ns INTEGER, rounds "
            "INTEGER NOT NULL, reason TEXT, PRIMARY KEY (scope, problem, pass, algorithm), "
            "CHECK ((ratio IS NULL) = (reason IS NOT NULL))) STRICT, WITHOUT ROWID;"
            "CREATE TABLE tuning (scope INTEGER NOT NULL REFERENCES tuning_scope ON DELETE "
            "CASCADE, "
            "problem INTEGER NOT NULL REFERENCES text, pass TEXT NOT NULL, algorithm TEXT NOT "
            "NULL, "
            "implementation INTEGER NOT NULL REFERENCES text, created TEXT NOT NULL, network "
            "INTEGER "
            "NOT NULL REFERENCES text, candidates INTEGER NOT NULL, ratio REAL, ratio_low REAL, "
            "ratio_high REAL, PRIMARY KEY (scope, problem, pass)) STRICT, WITHOUT ROWID;"
            "INSERT INTO text (id, value) VALUES (1, 'here');"
            "INSERT INTO tuning_scope VALUES (1, 1, 1, 1, '1', 2, 'f32'), (2, 1, 1, 1, '1', 1, "
            "'f32');"
            "INSERT INTO tuning_trial VALUES (1, 1, 'forward', 'fft', 1, '', 0.9, 0.8, 1.0, 10, 9, "
            "10, NULL), (1, 1, 'backward_data', 'gemm', 1, '', NULL, NULL, NULL, NULL, NULL, 0, "
            "'stride 4'), (2, 1, 'forward', 'fft', 1, '', 0.9, 0.8, 1.0, 10, 9, 10, NULL);"
            "INSERT INTO tuning VALUES (1, 1, 'forward', 'fft', 1, '', 1, 2, 0.9, 0.8, 1.0);"
            "PRAGMA user_version = 9");
    }
    const Database database = Database::open(file_);
    EXPECT_EQ(only_text(database,
                        "SELECT group_concat(threads || ' ' || mode || ' ' || fusion) "
                        "FROM (SELECT * FROM tuning_scope ORDER BY id)"),
              "2 training off,1 inference off");
    EXPECT_EQ(only_text(database,
                        "SELECT group_concat(scope || ' ' || algorithm || ' ' || "
                        "coalesce(ratio, reason)) FROM tuning_trial"),
              "1 gemm stride 4,1 fft 0.9,2 fft 0.9");
    EXPECT_EQ(only_text(database, "SELECT count(*) FROM tuning WHERE scope = 1 AND ratio = 0.9"),
              "1");
}

TEST_F(SchemaTest, EveryViewOfStrataAnswersOnAnEmptyDatabase) {
    const Database database = Database::open(file_);
    for (const char* view : {"step_time", "layer_time", "run_summary", "tracked_kernel",
                             "kernel_census", "kernel_use", "trace_time", "step_counter"}) {
        EXPECT_EQ(only_text(database, std::string("SELECT count(*) FROM ") + view), "0") << view;
    }
}

}  // namespace
}  // namespace strata
