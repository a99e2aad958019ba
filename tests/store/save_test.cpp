// SPDX-License-Identifier: MIT
#include "store/save.h"

#include "store/load.h"
#include "store/statement.h"
#include "tests/store/sample_run.h"
#include "tests/support/another_value.h"
#include "tests/support/child_process.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

namespace strata {
namespace {

class SaveTest : public ::testing::Test {
protected:
    std::string cell(const std::string& sql) const {
        Statement statement(database_, sql);
        return statement.start().next() ? statement.text(0) : "no row";
    }

    TemporaryDirectory directory_;
    std::filesystem::path file_ = directory_.path() / "runs.sqlite";
    Database database_ = Database::open(file_);
};

TEST_F(SaveTest, ARunLoadsUnchanged) {
    auto run = sample_run();
    save_run(database_, run);
    EXPECT_EQ(run.id, 1);
    EXPECT_EQ(described(load_run(database_, run.id)), described(run));
}

TEST_F(SaveTest, AStepOfSomeIterationsLoadsWithTheirNumberAndItsTimePerIteration) {
    auto run = sample_run();
    run.steps[0].time = Samples{{Seconds{0.001}}};
    run.steps[0].seen_in = SeenIn{.iterations = 1, .of = 5};
    save_run(database_, run);
    EXPECT_EQ(described(load_run(database_, run.id)), described(run));
    EXPECT_EQ(cell("SELECT seen_in || ' of ' || of_iterations || ', ' || median_s FROM step_time "
                   "WHERE position = 0"),
              "1 of 5, 0.001");
    EXPECT_EQ(cell("SELECT count(*) FROM step_time WHERE seen_in IS NULL"),
              std::to_string(run.steps.size() - 1));
}

// A run of one step whose third sample of three was delayed.
strata::Run watched_run() {
    auto run = sample_run();
    Samples& step = std::get<Samples>(run.steps[0].time);
    step.values = {Seconds{1e-3}, Seconds{1e-3}, Seconds{9e-3}};
    step.disturbed = {false, false, true};
    run.whole.end_to_end = {{Seconds{1e-3}, Seconds{2e-3}}, {false, false}};
    run.whole.instrumented = {};
    return run;
}

TEST_F(SaveTest, DisturbanceMarksLoadAndSqlStatesTheUsedSamples) {
    auto run = watched_run();
    save_run(database_, run);
    const strata::Run loaded = load_run(database_, run.id);
    EXPECT_EQ(std::get<Samples>(loaded.steps[0].time).disturbed,
              (std::vector<bool>{false, false, true}));
    EXPECT_EQ(loaded.whole.end_to_end.disturbed, (std::vector<bool>{false, false}));
    EXPECT_TRUE(loaded.whole.calibration.disturbed.empty()) << "nobody looked";
    EXPECT_EQ(cell("SELECT sample_use || ' ' || disturbed_samples || ' of ' || samples || ', ' || "
                   "median_s FROM step_time WHERE position = 0"),
              "clean 1 of 3, 0.001");
}

TEST_F(SaveTest, DisturbedSamplesOfAnInterruptedRunAreKnownAtItsCheckpoints) {
    auto run = watched_run();
    run.state = RunState::partial;
    begin_run(database_, run);
    Checkpoints checkpoints(database_, run);
    Samples& step = std::get<Samples>(run.steps[0].time);
    step.values.push_back(Seconds{8e-3});
    step.disturbed.push_back(true);
    checkpoints.store(run);
    EXPECT_EQ(std::get<Samples>(load_run(database_, run.id).steps[0].time).disturbed,
              (std::vector<bool>{false, false, true, true}));
}

TEST_F(SaveTest, EachOptionLoadsFromADatabase) {
    for (const Option& option : all_options()) {
        strata::Run run;
        run.created = "2026-11-21T13:15:00Z";
        run.settings = testing::with(option, testing::another_value(option));
        save_run(database_, run);
        const Settings loaded = load_run(database_, run.id).settings;
        EXPECT_EQ(option.text(loaded), option.text(run.settings)) << option.name;
        EXPECT_TRUE(loaded.unknown.empty()) << option.name;
    }
}

TEST_F(SaveTest, SettingsOfAnotherVersionAreKeptAndStoredAgain) {
    strata::Run run;
    run.created = "2026-11-21T13:15:00Z";
    run.settings.unknown = {{"dtype", "fp8"}, {"policy", "patience=9"}, {"paging", "off"}};
    save_run(database_, run);
    strata::Run again = load_run(database_, run.id);
    EXPECT_EQ(again.settings.unknown, run.settings.unknown);
    again.id = 0;
    save_run(database_, again);
    EXPECT_EQ(cell("SELECT dtype || ' ' || policy FROM run WHERE id = 2"), "fp8 patience=9");
    EXPECT_EQ(cell("SELECT count(DISTINCT key) FROM run"), "1");
}

TEST_F(SaveTest, AnEmptyRunLoadsToo) {
    strata::Run run;
    run.created = "2026-11-21T13:15:00Z";
    save_run(database_, run);
    EXPECT_EQ(described(load_run(database_, run.id)), described(run));
}

TEST_F(SaveTest, TheKernelsOfATraceAreFoundByTheirKeys) {
    auto run = sample_run();
    save_run(database_, run);
    EXPECT_EQ(
        cell("SELECT group_concat(invocation || ' ' || coalesce(layer, '-') || ' ' || time_s, "
             "', ') FROM tracked_kernel WHERE device = 'NVIDIA H200'"),
        "1 conv1 1.0e-06, 2 - 1.5e-06");
    EXPECT_EQ(cell("SELECT count(*) FROM trace_time WHERE time_s IS NULL"), "1");
    EXPECT_EQ(cell("SELECT reason FROM step_counter WHERE value IS NULL"), "not allowed here");
    EXPECT_EQ(cell("SELECT counted_at FROM step_counter WHERE position = 1"), "0");
}

TEST_F(SaveTest, AContinuedRunKeepsItsTraceAndCounters) {
    auto run = sample_run();
    begin_run(database_, run);
    auto continued = load_run(database_, run.id);
    begin_run(database_, continued);
    continued.steps[2].metrics = run.steps[0].metrics;
    continued.steps[2].counted_at = 2;
    finish_run(database_, continued);
    EXPECT_EQ(described(load_run(database_, run.id)), described(continued));
    EXPECT_EQ(cell("SELECT count(*) FROM kernel_set"), "1");
    EXPECT_EQ(cell("SELECT count(*) FROM step_metric"), "5");
}

TEST_F(SaveTest, NamesThatLookLikeSqlAreOnlyNames) {
    auto run = sample_run();
    run.settings.network = "'; DROP TABLE run; --";
    run.steps[0].layer = "a\"b';\\ \xE2\x82\xAC";
    save_run(database_, run);
    EXPECT_EQ(described(load_run(database_, run.id)), described(run));
}

TEST_F(SaveTest, ARunJustBegunIsPartialAndItsStepsArePlanned) {
    auto run = planned_run();
    begin_run(database_, run);
    EXPECT_EQ(cell("SELECT state FROM run"), "partial");
    EXPECT_EQ(cell("SELECT group_concat(status) FROM step"), "planned,planned,skipped,failed");
    EXPECT_EQ(cell("SELECT group_concat(reason) FROM step"),
              "lrn: not in onednn,differs from the reference by 3e-2");
    EXPECT_EQ(cell("SELECT count(*) FROM step WHERE median_ns IS NOT NULL"), "0");
    EXPECT_EQ(described(load_run(database_, run.id)), described(run));
}

TEST_F(SaveTest, CheckpointsOnlyAddSamplesAndFinishingMovesThemToTheirSteps) {
    auto run = planned_run();
    begin_run(database_, run);
    const std::int64_t id = run.id;
    Checkpoints checkpoints(database_, run);
    run = sample_run();
    run.id = id;
    run.steps[0].time = Samples{{{0.1}}};
    checkpoints.store(run);
    EXPECT_EQ(cell("SELECT state || samples FROM run_summary"), "partial3");
    EXPECT_EQ(cell("SELECT samples || status FROM step WHERE position = 0"), "0planned");
    run.steps[0].time = Samples{{{0.1}, {0.2}, {0.3}}};
    checkpoints.store(run);
    EXPECT_EQ(cell("SELECT group_concat(length(sample_values) / 8) FROM step_samples "
                   "WHERE position = 0"),
              "1,2");
    EXPECT_EQ(described(load_run(database_, id)), described([&] {
                  auto partial = run;
                  partial.state = RunState::partial;
                  return partial;
              }()));
    finish_run(database_, run);
    EXPECT_EQ(cell("SELECT samples || status FROM step WHERE position = 0"), "3measured");
    EXPECT_EQ(cell("SELECT median_ns FROM step WHERE position = 0"), "200000000");
    EXPECT_EQ(cell("SELECT count(*) FROM step_samples"), "0");
    EXPECT_EQ(described(load_run(database_, id)), described(run));
}

TEST_F(SaveTest, ACheckpointDoesNotWaitForALockAndTheNextStoresItsSamples) {
    auto run = planned_run();
    begin_run(database_, run);
    Checkpoints checkpoints(database_, run);
    const auto store = [&](std::vector<Seconds> samples) {
        run.steps[0].time = Samples{std::move(samples)};
        checkpoints.store(run);
    };
    {
        const Database other = Database::open(database_.file());
        const Transaction lock(other);
        store({{0.1}, {0.2}});
    }
    EXPECT_EQ(cell("SELECT count(*) FROM step_samples"), "0");
    store({{0.1}, {0.2}, {0.3}});
    EXPECT_EQ(cell("SELECT group_concat(length(sample_values) / 8) FROM step_samples "
                   "WHERE position = 0"),
              "3");
}

TEST_F(SaveTest, ThinnedSamplesAreRewritten) {
    auto run = planned_run();
    begin_run(database_, run);
    Checkpoints checkpoints(database_, run);
    const auto store = [&](std::vector<Seconds> samples) {
        run.whole.instrumented.values = samples;
        run.steps[0].time = Samples{std::move(samples)};
        checkpoints.store(run);
        return std::get<Samples>(load_run(database_, run.id).steps[0].time).values;
    };
    store({{0.1}, {0.2}, {0.3}, {0.4}});
    const std::vector<Seconds> fewer = {{0.1}, {0.3}};
    EXPECT_EQ(store(fewer), fewer);
    const std::vector<Seconds> again = {{0.1}, {0.3}, {0.5}, {0.6}};
    EXPECT_EQ(store(again), again);
    const std::vector<Seconds> thinned_and_more = {{0.1}, {0.5}, {0.7}, {0.8}, {0.9}};
    EXPECT_EQ(store(thinned_and_more), thinned_and_more);
}

TEST_F(SaveTest, AContinuedRunKeepsItsEarlierSamples) {
    auto run = planned_run();
    begin_run(database_, run);
    run.steps[0].time = Samples{{{0.1}}};
    Checkpoints(database_, run).store(run);  // they count as stored: nothing is added
    EXPECT_EQ(cell("SELECT count(*) FROM step_samples"), "0");
    begin_run(database_, run);
    Checkpoints checkpoints(database_, run);
    run.steps[0].time = Samples{{{0.1}, {0.2}}};
    checkpoints.store(run);
    EXPECT_EQ(cell("SELECT samples FROM step WHERE position = 0"), "1");
    EXPECT_EQ(std::get<Samples>(load_run(database_, run.id).steps[0].time).values,
              (std::vector<Seconds>{{0.1}, {0.2}}));
}

TEST_F(SaveTest, SamplesOfAStepThatDidNotRunMeanDamage) {
    auto run = planned_run();
    begin_run(database_, run);
    database_.execute("INSERT INTO step_samples VALUES (1, 1, 2, x'0000000000000000')");
    EXPECT_NE(error_of([&] { load_run(database_, run.id); }).find("damaged"), std::string::npos);
}

TEST_F(SaveTest, ARunFinishedByAnInterruptStaysPartial) {
    auto run = planned_run();
    begin_run(database_, run);
    finish_run(database_, run);
    EXPECT_EQ(load_run(database_, run.id).state, RunState::partial);
}

TEST_F(SaveTest, ACompleteRunCannotBeAddedTo) {
    auto run = sample_run();
    save_run(database_, run);
    const std::string sentence = error_of([&] { Checkpoints(database_, run).store(run); });
    EXPECT_NE(sentence.find("run 1 of database"), std::string::npos) << sentence;
    EXPECT_EQ(load_run(database_, run.id).state, RunState::complete);
}

TEST_F(SaveTest, ContinuingARunKeepsItsIdAndItsPlaceInTheList) {
    auto first = planned_run();
    begin_run(database_, first);
    auto second = planned_run();
    begin_run(database_, second);
    auto continued = load_run(database_, first.id);
    continued.steps[0].time = Samples{{{0.5}}};
    begin_run(database_, continued);
    EXPECT_EQ(continued.id, first.id);
    EXPECT_EQ(cell("SELECT count(*) FROM run"), "2");
    EXPECT_EQ(described(load_run(database_, first.id)), described(continued));
}

TEST_F(SaveTest, EqualTextsAndDevicesAreStoredOnce) {
    for (int i = 0; i < 3; ++i) {
        auto run = sample_run();
        save_run(database_, run);
    }
    EXPECT_EQ(cell("SELECT count(*) FROM text WHERE value = 'conv1'"), "1");
    EXPECT_EQ(cell("SELECT count(*) FROM device"), "1");
}

TEST_F(SaveTest, AKilledProgramLeavesItsLastCheckpoint) {
    EXPECT_EQ(status_of_child([&] {
                  const Database database = Database::open(file_);
                  auto run = planned_run();
                  begin_run(database, run);
                  Checkpoints checkpoints(database, run);
                  run.steps[0].time = Samples{{{0.25}}};
                  checkpoints.store(run);
                  Transaction unfinished(database);
                  database.execute("DELETE FROM step");
                  ::raise(SIGKILL);
                  return 0;
              }),
              128 + SIGKILL);
    const auto run = load_run(Database::open(file_), 1);
    EXPECT_EQ(run.state, RunState::partial);
    ASSERT_EQ(run.steps.size(), 4U);
    EXPECT_EQ(std::get<Samples>(run.steps[0].time).values.at(0), Seconds{0.25});
}

TEST_F(SaveTest, ADiskThatFillsUpKeepsEarlierRuns) {
    auto kept = sample_run();
    save_run(database_, kept);
    EXPECT_EQ(status_of_child([&] {
                  std::signal(SIGXFSZ, SIG_IGN);
                  const rlimit limit{1 << 18, 1 << 18};
                  ::setrlimit(RLIMIT_FSIZE, &limit);
                  auto large = sample_run();
                  large.steps[0].time = Samples{std::vector<Seconds>(1 << 17, Seconds{1})};
                  const std::string sentence =
                      error_of([&] { save_run(Database::open(file_), large); });
                  return sentence.find("disk is full") != std::string::npos ? 0 : 1;
              }),
              0);
    const Database again = Database::open(file_);
    EXPECT_EQ(described(load_run(again, kept.id)), described(kept));
    EXPECT_EQ(cell("SELECT count(*) FROM run"), "1");
}

TEST_F(SaveTest, DamagedRowsAreAnErrorAndNotACrash) {
    auto run = sample_run();
    save_run(database_, run);
    database_.execute("UPDATE step SET sample_values = x'010203' WHERE position = 0");
    EXPECT_NE(error_of([&] { load_run(database_, run.id); }).find("damaged"), std::string::npos);
    database_.execute(
        "PRAGMA foreign_keys = OFF; UPDATE step SET sample_values = NULL; "
        "UPDATE step_check SET position = 99");
    EXPECT_NE(error_of([&] { load_run(database_, run.id); }).find("step 99"), std::string::npos);
    database_.execute("UPDATE step SET pass = 'sideways'");
    EXPECT_NE(error_of([&] { load_run(database_, run.id); }), "no error");
}

TEST_F(SaveTest, AnUnknownRunIsNamedWithItsDatabase) {
    const std::string sentence = error_of([&] { load_run(database_, 17); });
    EXPECT_NE(sentence.find("no run 17"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(file_.string()), std::string::npos) << sentence;
}

}  // namespace
}  // namespace strata
