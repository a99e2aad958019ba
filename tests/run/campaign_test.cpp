// SPDX-License-Identifier: MIT
#include "run/campaign.h"

#include "base/error.h"
#include "record/options.h"
#include "run/refusal.h"
#include "store/load.h"
#include "store/merge.h"
#include "store/statement.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {
namespace {

using strata::testing::ScriptedBackend;
using strata::testing::ScriptedExecutable;

// Experiments of a tiny network on the reference, in a separate database.
class Campaigns : public ::testing::Test {
protected:
    Campaigns() {
        request_.common.backend = "scripted";
        request_.common.policy = {.warmup = 0,
                                  .min_time = Seconds{0},
                                  .max_time = Seconds{0.2},
                                  .min_samples = 3,
                                  .precision = 10};
        request_.networks = {"fc:layers=1,nodes=8"};
        request_.batches = {2};
        hooks_.backend = [this](const Job&) {
            ++backends_made_;
            return std::make_unique<ScriptedBackend>(script_);
        };
        hooks_.observer.stop = &stop_;
        hooks_.job_begins = [this](const Job&) { ++measured_; };
        hooks_.show = [this](const std::vector<strata::Run>& runs,
                             const std::optional<Capacity>& capacity) {
            shown_.push_back(runs);
            capacity_ = capacity;
        };
        hooks_.compare = [this](const std::vector<strata::Run>& runs) {
            compared_.push_back(runs.size());
        };
    }

    ExitCode run() { return run_campaign(experiment_of(request_), database_, hooks_); }

    std::int64_t stored(const char* state) {
        Statement count(database_, "SELECT count(*) FROM run WHERE state = ?");
        count.start(state).next();
        return count.integer(0);
    }

    const TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.db");
    ExperimentRequest request_;
    CampaignHooks hooks_;
    std::function<void(ScriptedExecutable&)> script_ = [](ScriptedExecutable&) {};
    std::atomic<bool> stop_{false};
    int measured_ = 0;
    int backends_made_ = 0;
    std::vector<std::vector<strata::Run>> shown_;
    std::optional<Capacity> capacity_;
    std::vector<std::size_t> compared_;
};

TEST_F(Campaigns, EachJobIsMeasuredStoredAndShown) {
    request_.batches = {1, 2};
    EXPECT_EQ(run(), ExitCode::done);
    ASSERT_EQ(shown_.size(), 2U);
    EXPECT_EQ(stored("complete"), 2);
    const strata::Run again = load_run(database_, shown_[1].front().id);
    EXPECT_EQ(again.settings.batch, 2);
    EXPECT_EQ(again.steps.size(), shown_[1].front().steps.size());
}

TEST_F(Campaigns, ExecutionsOfOneBatchAreCompared) {
    request_.batches = {1, 2};
    const Settings common{.policy = request_.common.policy};
    request_.settings = with_values({common}, option_named("threads"), {"1", "2"});
    EXPECT_EQ(run(), ExitCode::done);
    EXPECT_EQ(shown_.size(), 4U);
    EXPECT_EQ(compared_, (std::vector<std::size_t>{2, 2}));
}

TEST_F(Campaigns, PointsOfASweepAreShownTogetherAndNotComparedAsPairs) {
    request_.common.execution.numerics.mode = Mode::inference;
    request_.batches = {1, 2, 3};
    EXPECT_EQ(run(), ExitCode::done);
    ASSERT_EQ(shown_.size(), 1U);
    EXPECT_EQ(shown_[0].size(), 3U);
    EXPECT_TRUE(capacity_) << "the batch is varied";
    EXPECT_TRUE(compared_.empty());
}

TEST_F(Campaigns, AnInterruptKeepsCompleteRunsAndTheSameExperimentMeasuresTheRest) {
    request_.batches = {1, 2, 3};
    hooks_.job_begins = [this](const Job& job) {
        ++measured_;
        stop_ = job.request.batch == 2;
    };
    EXPECT_EQ(run(), ExitCode::interrupted);
    EXPECT_EQ(stored("complete"), 1);
    EXPECT_EQ(stored("partial"), 1);
    const std::int64_t partial = shown_.back().front().id;

    stop_ = false;
    hooks_.job_begins = [this](const Job&) { ++measured_; };
    shown_.clear();
    EXPECT_EQ(run(), ExitCode::done);
    EXPECT_EQ(measured_, 2 + 2) << "the complete run is not measured again";
    ASSERT_EQ(shown_.size(), 3U);
    EXPECT_EQ(shown_[1].front().id, partial) << "the partial run is continued";
    EXPECT_EQ(stored("complete"), 3);
}

TEST_F(Campaigns, ARunIsKeptNextToALockedDatabaseAndCanBeMerged) {
    request_.batches = {1, 2};
    const LockPatience before = std::exchange(lock_patience(), {.limit = Seconds{0.05}});
    const Database other = Database::open(database_.file());
    std::optional<Transaction> lock;
    std::vector<std::string> said;
    hooks_.observer.say = [&](const std::string& sentence) { said.push_back(sentence); };
    hooks_.observer.progress = [&](const std::string&, double) {
        if (!lock && stored("partial") == 1) {
            lock.emplace(other);
        }
    };
    EXPECT_EQ(run(), ExitCode::failed);
    lock.reset();
    lock_patience() = before;

    EXPECT_EQ(measured_, 1) << "the next would wait for the same lock";
    ASSERT_EQ(shown_.size(), 1U);
    EXPECT_EQ(stored("complete"), 0);
    auto kept = database_.file();
    kept += ".kept-" + std::to_string(::getpid());
    ASSERT_EQ(said.size(), 1U);
    EXPECT_NE(said[0].find(kept.string()), std::string::npos) << said[0];
    EXPECT_EQ(merge_database(database_, kept).runs, 1U);
    EXPECT_EQ(stored("complete"), 1);
}

TEST_F(Campaigns, AFinishedExperimentIsMeasuredAgain) {
    run();
    run();
    EXPECT_EQ(measured_, 2);
    EXPECT_EQ(stored("complete"), 2);
}

TEST_F(Campaigns, AStopDuringTheWaitForTheMachineMeasuresNothing) {
    hooks_.take_turn = [this] {
        stop_ = true;
        return MeasuringLock{.lock = MachineLock(directory_.path() / "lock")};
    };
    EXPECT_EQ(run(), ExitCode::interrupted);
    EXPECT_EQ(measured_, 0);
    ASSERT_EQ(shown_.size(), 1U);
    EXPECT_TRUE(shown_[0].empty());
}

TEST_F(Campaigns, ARunSimultaneousWithAnotherProcessIsFlagged) {
    hooks_.take_turn = [this] {
        return MeasuringLock{.lock = MachineLock(directory_.path() / "lock"), .is_shared = true};
    };
    run();
    const auto& flags = shown_[0].front().flags;
    EXPECT_NE(std::ranges::find(flags, DoubtKind::shared_machine, &Flag::kind), flags.end());
}

TEST_F(Campaigns, ANetworkThatDoesNotFitIsAResultOfASweepAndEndsASingleRun) {
    request_.common.memory = Bytes{1};
    EXPECT_THROW(run(), Error);
    EXPECT_EQ(stored("complete"), 0);
    request_.common.execution.numerics.mode = Mode::inference;
    request_.batches = {1, 2};
    EXPECT_EQ(run(), ExitCode::machine_cannot) << "not one batch fits";
    ASSERT_EQ(shown_.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<Skipped>(shown_[0][0].steps.front().time));
    EXPECT_EQ(stored("complete"), 2);
}

TEST_F(Campaigns, ALostDeviceEndsTheCampaignAndTheSameExperimentContinuesIt) {
    request_.batches = {1, 2};
    script_ = [](ScriptedExecutable&) {
        throw StepFailure({.layer = 0, .pass = Pass::forward}, "an illegal address");
    };
    EXPECT_EQ(run(), ExitCode::failed);
    EXPECT_EQ(measured_, 1);
    script_ = [](ScriptedExecutable&) {};
    shown_.clear();
    EXPECT_EQ(run(), ExitCode::failed) << "the step that did it stays failed";
    ASSERT_EQ(shown_.size(), 2U);
    EXPECT_EQ(shown_[0].front().state, RunState::complete);
}

// Like a kernel that hangs in the fourth iteration: it is unknown which.
TEST_F(Campaigns, ADeviceLostDuringTimingKeepsResultsAndNoOtherRunIsBlamed) {
    request_.batches = {1, 2};
    request_.common.execution.numerics.mode = Mode::inference;  // so that batches are a sweep
    request_.common.policy.min_samples = 100;
    int iterations = 0;
    script_ = [&](ScriptedExecutable& executable) {
        executable.after(0, [&](Executable&) {
            if (++iterations == 4) {
                throw DeviceFailure(DeviceFate::lost, "a kernel hangs", ExitCode::machine_cannot);
            }
        });
    };
    EXPECT_EQ(run(), ExitCode::failed);
    EXPECT_EQ(measured_, 1);
    ASSERT_EQ(shown_.size(), 1U);
    ASSERT_EQ(shown_[0].size(), 1U);
    const strata::Run stored_run = load_run(database_, shown_[0].front().id);
    EXPECT_EQ(stored_run.state, RunState::partial);
    ASSERT_EQ(stored_run.flags.size(), 1U);
    EXPECT_EQ(stored_run.flags[0].kind, DoubtKind::device_lost);
    EXPECT_NE(stored_run.flags[0].sentence.find("a kernel hangs"), std::string::npos);
    for (const StepResult& step : stored_run.steps) {
        EXPECT_TRUE(std::holds_alternative<Samples>(step.time)) << "no step is to blame";
    }
    script_ = [](ScriptedExecutable&) {};
    request_.common.policy.min_samples = 100;
    EXPECT_EQ(run(), ExitCode::done) << "the same experiment continues";
    EXPECT_EQ(stored("complete"), 2);
}

TEST_F(Campaigns, ADeviceLostBeforeTimingLeavesARunThatExplainsIt) {
    script_ = [](ScriptedExecutable&) {
        throw DeviceFailure(DeviceFate::lost, "a kernel hangs", ExitCode::machine_cannot);
    };
    EXPECT_EQ(run(), ExitCode::failed);
    const strata::Run stored_run = load_run(database_, shown_.at(0).at(0).id);
    EXPECT_EQ(stored_run.state, RunState::partial);
    EXPECT_FALSE(stored_run.steps.empty());
    EXPECT_EQ(stored("partial"), 1);
}

// Like a framework's process: each network gets one.
TEST_F(Campaigns, ALostDeviceOfASingleRunEndsOnlyThatRun) {
    request_.batches = {1, 2, 3};
    hooks_.backend = [this](const Job& job) {
        auto backend = std::make_unique<ScriptedBackend>([this, &job](ScriptedExecutable&) {
            if (job.request.batch == 2 && measured_ == 2) {
                throw DeviceFailure(DeviceFate::lost, "it has crashed", ExitCode::failed);
            }
        });
        backend->scope = LossScope::executable;
        return backend;
    };
    EXPECT_EQ(run(), ExitCode::failed);
    EXPECT_EQ(stored("complete"), 2);
    EXPECT_EQ(stored("partial"), 1);
    ASSERT_EQ(shown_.size(), 3U);
    EXPECT_TRUE(lost_its_device(shown_[1].at(0)));

    EXPECT_EQ(run(), ExitCode::done) << "the same experiment continues with that run";
    EXPECT_EQ(measured_, 4);
    EXPECT_EQ(stored("complete"), 3);
}

TEST(SentenceOnRest, CountsTheUnmeasuredRuns) {
    EXPECT_NE(sentence_on_rest(2, 5).find("2 of 5 runs were not measured"), std::string::npos);
    EXPECT_NE(sentence_on_rest(1, 2).find("1 of 2 runs was not measured"), std::string::npos);
    EXPECT_EQ(sentence_on_rest(0, 1).find("not measured"), std::string::npos);
}

strata::Run run_of(std::vector<Measurement> times, std::vector<Flag> flags = {}) {
    strata::Run run;
    for (Measurement& time : times) {
        run.steps.emplace_back().layer = "conv1";
        run.steps.back().time = std::move(time);
    }
    run.flags = std::move(flags);
    return run;
}

const Measurement measured = Samples{{{1.0}}};
const Measurement included = Included{"conv1 forward"};
const Measurement skipped = Skipped{"not here"};
const Measurement failed = Failed{"differs"};
const Flag imprecise = {DoubtKind::imprecise, "known to 3 %"};

ExitCode code_of(std::vector<strata::Run> runs) {
    return exit_code_of(runs);
}

TEST(ExitCodeOfRuns, ACompleteRunIsDone) {
    EXPECT_EQ(code_of({run_of({measured, included})}), ExitCode::done);
    EXPECT_EQ(code_of({run_of({measured}, {imprecise})}), ExitCode::unstable);
}

TEST(ExitCodeOfRuns, AStepThatCouldNotRunIsNotASuccess) {
    EXPECT_EQ(code_of({run_of({measured, skipped})}), ExitCode::machine_cannot);
    EXPECT_EQ(code_of({run_of({skipped, skipped})}), ExitCode::machine_cannot);
}

TEST(ExitCodeOfRuns, AFailureIsMoreSevereThanAStepThatCouldNotRun) {
    EXPECT_EQ(code_of({run_of({measured, skipped, failed})}), ExitCode::failed);
    EXPECT_EQ(code_of({run_of({measured}, {imprecise}), run_of({measured, skipped})}),
              ExitCode::machine_cannot);
    EXPECT_EQ(graver(ExitCode::unstable, ExitCode::failed), ExitCode::failed);
}

TEST(ExitCodeOfRuns, ASizeThatDoesNotFitIsAResultOfASweepThatHasOthers) {
    EXPECT_EQ(code_of({run_of({measured}), run_of({skipped, skipped})}), ExitCode::done);
    EXPECT_EQ(code_of({run_of({skipped}), run_of({skipped})}), ExitCode::machine_cannot);
}

// The scripted backend computes on this machine's processors.
TEST_F(Campaigns, AVariableThatContradictsASettingIsADoubt) {
    ASSERT_EQ(::setenv("ONEDNN_DEFAULT_FPMATH_MODE", "bf16", 1), 0);
    run();
    ::unsetenv("ONEDNN_DEFAULT_FPMATH_MODE");
    ASSERT_FALSE(shown_.empty());
    EXPECT_EQ(std::ranges::count(shown_.front().front().flags, DoubtKind::overridden, &Flag::kind),
              1);
}

}  // namespace
}  // namespace strata
