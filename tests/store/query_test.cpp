// SPDX-License-Identifier: MIT
#include "store/query.h"

#include "base/error.h"
#include "record/options.h"
#include "store/save.h"
#include "tests/store/sample_run.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

class QueryTest : public ::testing::Test {
protected:
    QueryTest() {
        const Database database = Database::open(file_);
        auto run = sample_run();
        save_run(database, run);
    }

    Database database() const { return Database::open_existing(file_); }
    Table ask(const std::string& sql, Numbers numbers = Numbers::verbatim) const {
        return query(database(), sql, numbers);
    }
    Verbatim number(const std::string& sql) const {
        return std::get<Verbatim>(ask(sql).rows.at(0).at(0));
    }
    std::string refusal(const std::string& sql) const {
        try {
            ask(sql);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage) << error.what();
            return error.what();
        }
        return "no error";
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "runs.sqlite";
};

TEST_F(QueryTest, RowsBecomeATableWithTheirNames) {
    const Table table = ask("SELECT network, batch, NULL AS absent FROM run");
    ASSERT_EQ(table.columns.size(), 3U);
    EXPECT_EQ(table.columns[2].key, "absent");
    ASSERT_EQ(table.rows.size(), 1U);
    EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "alexnet");
    EXPECT_EQ(std::get<Verbatim>(table.rows[0][1]).value, 32);
    EXPECT_TRUE(std::holds_alternative<Missing>(table.rows[0][2]));
}

TEST_F(QueryTest, ColumnsOfTheViewsHaveTheirUnits) {
    const auto unit = [&](const std::string& sql) {
        return std::get<Number>(ask(sql, Numbers::scaled).rows.at(0).at(0)).unit;
    };
    EXPECT_EQ(unit("SELECT median_s FROM step_time"), "s");
    EXPECT_EQ(unit("SELECT bytes_read FROM step_time"), "B");
    EXPECT_EQ(unit("SELECT flops FROM step_time"), "FLOP");
    EXPECT_EQ(unit("SELECT batch FROM step_time"), "");
}

TEST_F(QueryTest, NumbersAreWrittenDigitForDigit) {
    EXPECT_EQ(number("SELECT 9223372036854775807").text, "9223372036854775807");
    EXPECT_EQ(number("SELECT 0.1 + 0.2").text, "0.30000000000000004");
    EXPECT_EQ(number("SELECT 2.0").text, "2.0");
}

TEST_F(QueryTest, BlobsAreHexadecimalDigits) {
    EXPECT_EQ(std::get<std::string>(ask("SELECT x'00ff10'").rows.at(0).at(0)), "00FF10");
}

TEST_F(QueryTest, ColumnsOfOneNameAreDistinguished) {
    const Table table = ask("SELECT 1 AS a, 2 AS a, 3 AS a");
    EXPECT_EQ(table.columns[1].key, "a:1");
    EXPECT_EQ(table.columns[2].key, "a:2");
}

// A list that shows only f32 for a run with TF32 invites a wrong comparison.
TEST_F(QueryTest, TheListShowsEveryNonDefaultSetting) {
    const auto others = [](const Settings& settings) {
        const TemporaryDirectory directory;
        const Database fresh = Database::open(directory.path() / "runs.sqlite");
        auto run = sample_run();
        run.settings = settings;
        save_run(fresh, run);
        const Table runs = list_runs(fresh);
        const auto column = std::ranges::find(runs.columns, "other_settings", &Column::key);
        const Cell& cell =
            runs.rows.at(0).at(static_cast<std::size_t>(column - runs.columns.begin()));
        return std::holds_alternative<Missing>(cell) ? "" : std::get<std::string>(cell);
    };
    Settings settings{.backend = "cuda", .network = "alexnet", .batch = 1};
    EXPECT_EQ(others(settings), "");
    settings.execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    settings.execution.engine.fusion = Fusion::convolution;
    settings.execution.numerics.single_precision = SinglePrecision::tf32;
    EXPECT_EQ(others(settings), "algorithm winograd, fuse on, single precision tf32");
}

TEST_F(QueryTest, AStatusIsOneWordAndItsReasonIsSeparate) {
    const Table table = ask("SELECT status, reason FROM step_time WHERE reason IS NOT NULL");
    for (const auto& row : table.rows) {
        const auto& status = std::get<std::string>(row.at(0));
        EXPECT_TRUE(status == "skipped" || status == "failed" || status == "included") << status;
    }
    EXPECT_FALSE(table.rows.empty());
}

TEST_F(QueryTest, TheTimeOfALayerIsMissingIfAStepWasNotMeasured) {
    EXPECT_DOUBLE_EQ(number("SELECT time_s FROM layer_time WHERE layer = 'conv1' AND "
                            "pass = 'forward'")
                         .value,
                     0.2);
    const Table table = ask("SELECT time_s FROM layer_time WHERE layer = 'norm1'");
    EXPECT_TRUE(std::holds_alternative<Missing>(table.rows.at(0).at(0)));
}

TEST_F(QueryTest, TheSummaryCountsStepsAndDoubts) {
    EXPECT_EQ(number("SELECT steps FROM run_summary").value, 4);
    EXPECT_EQ(number("SELECT steps_skipped FROM run_summary").value, 1);
    EXPECT_EQ(number("SELECT steps_failed FROM run_summary").value, 1);
    EXPECT_EQ(number("SELECT doubts FROM run_summary").value, 2);
}

TEST_F(QueryTest, ThreadsAreThoseThatComputed) {
    EXPECT_GT(number("SELECT threads FROM run_summary").value, 0);
    auto run = sample_run();
    run.ran_on = DeviceKind::gpu;
    save_run(Database::open(file_), run);
    const Table table = ask("SELECT threads FROM run_summary WHERE run = 2");
    EXPECT_TRUE(std::holds_alternative<Missing>(table.rows.at(0).at(0)));
}

TEST_F(QueryTest, AnIncompleteRunHasNoEndToEndTimeAndItsSamplesStay) {
    const auto cell = [&](const std::string& sql) { return ask(sql).rows.at(0).at(0); };
    EXPECT_EQ(std::get<std::string>(cell("SELECT state FROM run_summary")), "incomplete");
    for (const char* column : {"end_to_end_s", "end_to_end_low_s", "instrumented_s", "steps_s"}) {
        const Cell time = cell(std::string("SELECT ") + column + " FROM run_summary");
        EXPECT_TRUE(std::holds_alternative<Missing>(time)) << column;
    }
    EXPECT_EQ(number("SELECT samples FROM whole WHERE series = 'end_to_end'").value, 3);
    const Table listed = list_runs(database());
    EXPECT_EQ(std::get<std::string>(listed.rows.at(0).at(3)), "incomplete");
    EXPECT_EQ(std::get<Missing>(listed.rows.at(0).at(11)).reason, "the run is incomplete");
}

TEST_F(QueryTest, ARunWhoseStepsWereAllDoneHasAnEndToEndTime) {
    const Database stored = Database::open(file_);
    auto run = sample_run();
    run.steps[2].time = Included{"conv1 forward"};
    run.steps.pop_back();
    save_run(stored, run);
    EXPECT_DOUBLE_EQ(number("SELECT end_to_end_s FROM run_summary WHERE run = 2").value, 0.8);
    EXPECT_DOUBLE_EQ(number("SELECT steps_s FROM run_summary WHERE run = 2").value, 0.6);
}

TEST_F(QueryTest, TheSummaryAndTheStepsReportWhatVerificationFound) {
    EXPECT_EQ(number("SELECT verified_steps FROM run_summary").value, 1);
    EXPECT_EQ(number("SELECT steps_without_reference FROM run_summary").value, 2);
    EXPECT_DOUBLE_EQ(number("SELECT worst_of_tolerance FROM run_summary").value, 0.03);
    EXPECT_DOUBLE_EQ(number("SELECT error FROM step_time WHERE position = 0").value, 3e-6);
    const Table unverified = ask("SELECT tolerance FROM step_time WHERE position = 1");
    EXPECT_TRUE(std::holds_alternative<Missing>(unverified.rows.at(0).at(0)));
}

TEST_F(QueryTest, NothingCanBeChanged) {
    for (const char* sql : {"DELETE FROM run", "DROP TABLE run", "UPDATE run SET batch = 1",
                            "PRAGMA user_version = 9", "CREATE TEMP TABLE t (x)",
                            "INSERT INTO text (value) VALUES ('x')", "BEGIN", "VACUUM",
                            "PRAGMA journal_mode = DELETE"}) {
        EXPECT_NE(refusal(sql).find("only reads"), std::string::npos) << sql;
    }
    EXPECT_EQ(number("SELECT count(*) FROM run").value, 1);
}

TEST_F(QueryTest, NoOtherFileCanBeOpenedOrCreated) {
    const auto other = directory_.path() / "other.sqlite";
    EXPECT_NE(refusal("ATTACH '" + other.string() + "' AS other").find("only reads"),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(other));
}

TEST_F(QueryTest, OneStatementAtATime) {
    EXPECT_NE(refusal("SELECT 1; DELETE FROM run").find("several statements"), std::string::npos);
    EXPECT_NE(refusal("").find("empty"), std::string::npos);
    EXPECT_NE(refusal("-- nothing").find("empty"), std::string::npos);
    EXPECT_EQ(number("SELECT 1 ;  ").value, 1);
}

TEST_F(QueryTest, AnErrorIsNamedWithItsPlace) {
    const std::string sentence = refusal("SELECT network FORM run");
    EXPECT_NE(sentence.find("at character 21"), std::string::npos) << sentence;
    EXPECT_NE(refusal("SELECT x FROM run").find("no such column"), std::string::npos);
}

TEST_F(QueryTest, TablesDescribeThemselves) {
    EXPECT_GT(ask("PRAGMA table_info(run)").rows.size(), 10U);
    EXPECT_GT(ask("SELECT name FROM sqlite_master").rows.size(), 10U);
}

TEST_F(QueryTest, AListOfRunsIsNewestFirstAndCarriesIntervals) {
    {
        const Database database = Database::open(file_);
        auto whole = sample_run();
        whole.steps.resize(2);  // without steps that did not run
        save_run(database, whole);
        auto run = planned_run();
        run.origin = Origin::modelled;
        begin_run(database, run);
    }
    const Table table = list_runs(database());
    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(std::get<Number>(table.rows[0][0]).value, 3);
    EXPECT_EQ(std::get<std::string>(table.rows[0][3]), "partial");
    EXPECT_TRUE(std::holds_alternative<Missing>(table.rows[0][11]));
    const Number time = std::get<Number>(table.rows[1][11]);
    EXPECT_DOUBLE_EQ(time.value, 0.8);
    EXPECT_EQ(time.provenance, Provenance::measured);
    EXPECT_TRUE(time.low && time.high && *time.low <= time.value && time.value <= *time.high);
    for (const auto& row : table.rows) {
        EXPECT_EQ(row.size(), table.columns.size());
    }
}

TEST_F(QueryTest, AListOfRunsCountsTheChoicesOfATuning) {
    const Database stored = Database::open(file_);
    auto run = sample_run();
    set_further(run.settings, "choices",
                "elementwise(2x4, 2x4) forward=usual (tuned)+a backward_data=direct (tuned)");
    save_run(stored, run);
    const std::string settings = std::get<std::string>(list_runs(stored).rows.at(0).at(10));
    EXPECT_NE(settings.find("2 choices, tuned"), std::string::npos) << settings;
    EXPECT_EQ(settings.find("elementwise"), std::string::npos) << settings;
}

TEST_F(QueryTest, ALongListOfRunsHasTheNewestAndTheirNumber) {
    {
        const Database stored = Database::open(file_);
        for (int i = 0; i < 3; ++i) {
            auto run = sample_run();
            run.id = 0;
            save_run(stored, run);
        }
    }
    const Table newest = list_runs(database(), 2);
    ASSERT_EQ(newest.rows.size(), 2U);
    EXPECT_EQ(std::get<Number>(newest.rows[0][0]).value, 4);
    ASSERT_EQ(newest.notes.size(), 1U);
    EXPECT_NE(newest.notes[0].find("newest 2 of 4 runs"), std::string::npos);
    EXPECT_TRUE(list_runs(database(), 4).notes.empty());
}

TEST_F(QueryTest, AQueryEndsAtItsLimits) {
    const auto failure = [&](const std::string& sql, const StatementLimits& limits) {
        try {
            query(database(), sql, Numbers::verbatim, limits);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::failed) << error.what();
            return std::string(error.what());
        }
        return std::string("no error");
    };
    const StatementLimits brief{.time = Seconds{0.05}};
    const StatementLimits small{.memory = Bytes{4e6}};
    const std::string endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
    for (const char* what : {"SELECT count(*) FROM n", "SELECT max(i) FROM n", "SELECT i FROM n"}) {
        EXPECT_NE(failure(endless + what, brief).find("longer than 0.05 s"), std::string::npos)
            << what;
    }
    for (const std::string& sql :
         {endless + "SELECT i FROM n", endless + "SELECT i FROM n ORDER BY -i",
          std::string("SELECT printf('%.*c', 3000000, 'x')"),
          std::string("SELECT zeroblob(900000000)")}) {
        EXPECT_NE(failure(sql, small).find("more than 4.00 MB of memory"), std::string::npos)
            << sql;
    }
    EXPECT_EQ(ask("SELECT length(printf('%.*c', 3000000, 'x'))").rows.size(), 1u);
}

TEST_F(QueryTest, AFailureDuringExecutionIsAnErrorInTheQuery) {
    EXPECT_NE(refusal("SELECT load_extension('x')").find("the query is not allowed"),
              std::string::npos);
    EXPECT_NE(
        refusal("SELECT abs(-9223372036854775807 - 1)").find("the query failed: integer overflow"),
        std::string::npos);
    EXPECT_NE(refusal("SELECT * FROM pragma_database_list").find("the query is not allowed"),
              std::string::npos);
    EXPECT_NE(refusal("ATTACH 'x' AS y").find("the query is not allowed"), std::string::npos);
}

}  // namespace
}  // namespace strata
