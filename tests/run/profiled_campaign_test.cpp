// SPDX-License-Identifier: MIT
#include "run/campaign.h"
#include "store/load.h"
#include "store/statement.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/scripted_profiling.h"
#include "tests/support/temporary_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

namespace strata {
namespace {

using strata::testing::ScriptedBackend;
using strata::testing::ScriptedExecutable;
using strata::testing::ScriptedProfiling;

// Experiments that request a trace, on a backend that logs its actions in order.
class ProfiledCampaigns : public ::testing::Test {
protected:
    // A profiler that logs when it records.
    class NotingProfiling : public ScriptedProfiling {
    public:
        NotingProfiling(std::span<const Step> steps, std::function<void()> note)
            : ScriptedProfiling(steps), note_(std::move(note)) {}
        Recording record(std::size_t iterations) override {
            note_();
            return ScriptedProfiling::record(iterations);
        }

    private:
        std::function<void()> note_;
    };

    ProfiledCampaigns() {
        request_.common.backend = "scripted";
        request_.common.policy = {.warmup = 0,
                                  .min_time = Seconds{0},
                                  .max_time = Seconds{0.2},
                                  .min_samples = 3,
                                  .precision = 10};
        request_.common.tracing = Tracing::done;
        request_.networks = {"fc:layers=1,nodes=8"};
        request_.batches = {1, 2, 3};
        hooks_.backend = [this](const Job& job) { return make_backend(*job.request.batch); };
        hooks_.observer.stop = &stop_;
        hooks_.show = [this](const std::vector<strata::Run>& runs, const auto&) {
            note("show");
            shown_.push_back(runs);
        };
    }

    std::unique_ptr<Backend> make_backend(std::int64_t batch) {
        return std::make_unique<ScriptedBackend>([this, batch](ScriptedExecutable& executable) {
            ++prepared_[batch];
            script_(executable, batch);
            executable.after(0, [=, this](Executable&) { note(fmt::format("time {}", batch)); });
            executable.profile_with(std::make_unique<NotingProfiling>(
                executable.steps(), [=, this] { note(fmt::format("record {}", batch)); }));
        });
    }

    void note(const std::string& what) {
        if (done_.empty() || done_.back() != what) {
            done_.push_back(what);
        }
    }

    ExitCode run() { return run_campaign(experiment_of(request_), database_, hooks_); }

    // Sets the stop when the campaign turns to a job for the n-th time.
    void stop_at_turn(int n) {
        stop_ = false;
        turns_ = 0;
        hooks_.job_begins = [this, n](const Job&) { stop_ = ++turns_ == n; };
    }

    void continue_it() {
        stop_ = false;
        hooks_.job_begins = {};
        done_.clear();
        shown_.clear();
        EXPECT_EQ(run(), ExitCode::done);
    }

    std::int64_t stored(const char* state) {
        Statement count(database_, "SELECT count(*) FROM run WHERE state = ?");
        count.start(state).next();
        return count.integer(0);
    }

    std::vector<std::string> kinds_of_doubts(std::size_t shown) const {
        std::vector<std::string> kinds;
        std::ranges::transform(shown_.at(shown).front().flags, std::back_inserter(kinds),
                               kind_text);
        return kinds;
    }

    bool has_doubt(std::size_t shown, const std::string& kind) const {
        return std::ranges::count(kinds_of_doubts(shown), kind) > 0;
    }

    const TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.db");
    ExperimentRequest request_;
    CampaignHooks hooks_;
    std::function<void(ScriptedExecutable&, std::int64_t)> script_ = [](auto&, auto) {};
    std::map<std::int64_t, int> prepared_;  // count by batch
    std::atomic<bool> stop_{false};
    int turns_ = 0;
    std::vector<std::string> done_;
    std::vector<std::vector<strata::Run>> shown_;
};

TEST_F(ProfiledCampaigns, EveryJobIsTimedBeforeTheFirstIsRecorded) {
    EXPECT_EQ(run(), ExitCode::done);
    const std::vector<std::string> order = {"time 1",   "time 2", "time 3",   "record 3",
                                            "record 1", "show",   "record 2", "show"};
    EXPECT_EQ(done_, order) << "the last one is recorded while it is still prepared";
    ASSERT_EQ(shown_.size(), 3U);
    EXPECT_EQ(stored("complete"), 3);
    for (const auto& runs : shown_) {
        const strata::Run again = load_run(database_, runs.front().id);
        EXPECT_TRUE(again.trace);
        EXPECT_TRUE(std::holds_alternative<Samples>(again.steps.front().time));
    }
}

TEST_F(ProfiledCampaigns, PointsOfASweepAreTimedFirstToo) {
    request_.common.execution.numerics.mode = Mode::inference;
    EXPECT_EQ(run(), ExitCode::done);
    const std::vector<std::string> order = {"time 1",   "time 2",   "time 3", "record 3",
                                            "record 1", "record 2", "show"};
    EXPECT_EQ(done_, order);
}

TEST_F(ProfiledCampaigns, ASingleJobIsPreparedOnce) {
    request_.batches = {2};
    EXPECT_EQ(run(), ExitCode::done);
    EXPECT_EQ(prepared_[2], 1);
    EXPECT_TRUE(shown_.at(0).front().trace);
}

TEST_F(ProfiledCampaigns, WithoutAProfileEachIsShownOnceTimed) {
    request_.common.tracing = Tracing::omitted;
    EXPECT_EQ(run(), ExitCode::done);
    const std::vector<std::string> order = {"time 1", "show", "time 2", "show", "time 3", "show"};
    EXPECT_EQ(done_, order);
}

TEST_F(ProfiledCampaigns, AnInterruptDuringTimingLosesNothing) {
    stop_at_turn(3);
    EXPECT_EQ(run(), ExitCode::interrupted);
    EXPECT_EQ(stored("complete"), 0);
    EXPECT_EQ(stored("partial"), 3);
    ASSERT_EQ(shown_.size(), 3U) << "what was timed is shown";
    const strata::Run first = shown_[0].front();
    EXPECT_EQ(std::ranges::count_if(
                  done_, [](const std::string& what) { return what.starts_with("record"); }),
              0);
    continue_it();
    EXPECT_EQ(stored("complete"), 3);
    ASSERT_EQ(shown_.size(), 3U);
    const strata::Run& again = shown_[0].front();
    EXPECT_EQ(again.id, first.id);
    EXPECT_GE(again.whole.end_to_end.values.size(), first.whole.end_to_end.values.size());
    EXPECT_TRUE(again.trace);
}

TEST_F(ProfiledCampaigns, AnInterruptBetweenTheRoundsLosesNothing) {
    stop_at_turn(4);
    EXPECT_EQ(run(), ExitCode::interrupted);
    EXPECT_EQ(stored("complete"), 1) << "the last one was recorded at once";
    EXPECT_EQ(stored("partial"), 2);
    ASSERT_EQ(shown_.size(), 3U);
    continue_it();
    EXPECT_EQ(stored("complete"), 3);
    const std::vector<std::string> order = {"time 1", "time 2", "record 2", "record 1", "show"};
    EXPECT_EQ(done_, order) << "the complete one is left alone";
    for (const auto& runs : shown_) {
        EXPECT_TRUE(runs.front().trace);
    }
}

TEST_F(ProfiledCampaigns, ANetworkThatDoesNotFitHasNoSecondTurn) {
    request_.common.execution.numerics.mode = Mode::inference;
    request_.common.memory = Bytes{1};
    run();
    EXPECT_EQ(stored("complete"), 3);
    EXPECT_TRUE(prepared_.empty());
}

TEST_F(ProfiledCampaigns, ARefusalEndsItAfterTheTimedJobsAreRecorded) {
    script_ = [](ScriptedExecutable&, std::int64_t batch) {
        if (batch == 3) {
            throw Error("batch 3 does not fit", ExitCode::machine_cannot);
        }
    };
    EXPECT_THROW(run(), Error);
    EXPECT_EQ(stored("complete"), 2);
    ASSERT_GE(shown_.size(), 2U);
    EXPECT_TRUE(shown_[0].front().trace);
    EXPECT_TRUE(shown_[1].front().trace);
}

TEST_F(ProfiledCampaigns, StepsThatDifferFromTheTimedOnesAreNotRecorded) {
    script_ = [this](ScriptedExecutable& executable, std::int64_t batch) {
        if (prepared_[batch] == 2) {
            executable.merge_into_previous(1);
        }
    };
    EXPECT_EQ(run(), ExitCode::done);
    EXPECT_TRUE(has_doubt(0, "not-traced"));
    EXPECT_FALSE(shown_[0].front().trace);
    EXPECT_TRUE(std::holds_alternative<Samples>(shown_[0].front().steps.front().time));
    EXPECT_FALSE(has_doubt(2, "not-traced"));
    EXPECT_EQ(stored("complete"), 3);
}

TEST_F(ProfiledCampaigns, StepsWithOtherImplementationsAreDoubted) {
    script_ = [this](ScriptedExecutable& executable, std::int64_t batch) {
        if (prepared_[batch] == 2) {
            executable.choose_algorithm(0, "another");
        }
    };
    EXPECT_EQ(run(), ExitCode::done);
    EXPECT_TRUE(shown_[0].front().trace);
    const auto& flags = shown_[0].front().flags;
    EXPECT_TRUE(std::ranges::any_of(flags, [](const Flag& flag) {
        return flag.kind == DoubtKind::traced_differs &&
               flag.sentence.find("implemented differently") != std::string::npos &&
               flag.sentence.find("another") != std::string::npos;
    }));
}

TEST_F(ProfiledCampaigns, ARunThatLostItsOwnDeviceIsNotRecordedAndTheOthersAre) {
    hooks_.backend = [this](const Job& job) {
        auto backend = make_backend(*job.request.batch);
        static_cast<ScriptedBackend&>(*backend).scope = LossScope::executable;
        return backend;
    };
    script_ = [](ScriptedExecutable&, std::int64_t batch) {
        if (batch == 2) {
            throw DeviceFailure(DeviceFate::lost, "it has crashed", ExitCode::failed);
        }
    };
    EXPECT_EQ(run(), ExitCode::failed);
    EXPECT_EQ(prepared_, (std::map<std::int64_t, int>{{1, 2}, {2, 1}, {3, 1}}));
    EXPECT_EQ(stored("complete"), 2);
    EXPECT_EQ(stored("partial"), 1);
}

TEST_F(ProfiledCampaigns, ADeviceLostDuringRecordingEndsTheCampaign) {
    script_ = [this](ScriptedExecutable&, std::int64_t batch) {
        if (batch == 1 && prepared_[batch] == 2) {
            throw DeviceFailure(DeviceFate::lost, "a kernel hangs", ExitCode::machine_cannot);
        }
    };
    EXPECT_EQ(run(), ExitCode::failed);
    EXPECT_EQ(prepared_[2], 1) << "nothing is recorded after it";
}

TEST_F(ProfiledCampaigns, ANetworkThatCannotBePreparedAgainKeepsItsTimes) {
    script_ = [this](ScriptedExecutable&, std::int64_t batch) {
        if (prepared_[batch] == 2) {
            throw Error("the device has no memory left", ExitCode::machine_cannot);
        }
    };
    EXPECT_EQ(run(), ExitCode::done);
    EXPECT_TRUE(has_doubt(0, "not-traced"));
    EXPECT_TRUE(has_doubt(1, "not-traced"));
    EXPECT_EQ(stored("complete"), 3);
    EXPECT_FALSE(shown_[0].front().whole.end_to_end.values.empty());
}

}  // namespace
}  // namespace strata
