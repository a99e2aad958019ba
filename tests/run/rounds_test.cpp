// SPDX-License-Identifier: MIT
#include "run/rounds.h"

#include "run/campaign.h"
#include "tests/support/scripted_backend.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

using testing::ScriptedBackend;

// Two sides with different seeds, measured in this process.
class Rounds : public ::testing::Test {
protected:
    Rounds() {
        for (const std::uint64_t seed : {1U, 2U}) {
            Side& side = sides_.emplace_back();
            side.job.backend = "scripted";
            side.job.request.network = "fc:layers=1,nodes=8";
            side.job.request.batch = 2;
            side.job.execution.numerics.seed = seed;
            side.job.policy = {.warmup = 0,
                               .min_time = Seconds{0},
                               .max_time = Seconds{0.2},
                               .min_samples = 3,
                               .precision = 10};
        }
        hooks_.stop = &stop_;
        hooks_.measure = [this](const Job& job, PlanPosition position) {
            order_.push_back(job.execution.numerics.seed);
            if (job.execution.numerics.seed == refused_) {
                return std::string("it is not there");
            }
            measure(job, position);
            stop_ = order_.size() == stop_after_;
            return std::string();
        };
    }

    void measure(const Job& job, PlanPosition position) {
        const Experiment one{.groups = {{planned(job)}}, .settings = {{}}, .variations = {}};
        run_campaign(
            one, database_,
            {.backend =
                 [](const Job&) {
                     return std::make_unique<ScriptedBackend>([](testing::ScriptedExecutable&) {});
                 },
             .position = position});
    }

    ExitCode run(int rounds) {
        for (Side& side : sides_) {
            side.runs.clear();
        }
        order_.clear();
        return measure_in_turn(sides_, rounds, database_, hooks_);
    }

    const TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.db");
    std::vector<Side> sides_;
    RoundsHooks hooks_;
    std::vector<std::uint64_t> order_;
    std::uint64_t refused_ = 0;
    std::size_t stop_after_ = 0;
    std::atomic<bool> stop_{false};
};

TEST_F(Rounds, TheSidesAlternateAndReverseTheirOrderEverySecondRound) {
    EXPECT_EQ(run(3), ExitCode::done);
    EXPECT_EQ(order_, (std::vector<std::uint64_t>{1, 2, 2, 1, 1, 2}));
    for (const Side& side : sides_) {
        ASSERT_EQ(side.runs.size(), 3U);
        EXPECT_TRUE(std::ranges::all_of(side.runs, [&](const strata::Run& run) {
            return run.settings.execution.numerics.seed == side.job.execution.numerics.seed;
        }));
    }
}

TEST_F(Rounds, ASideThatCannotBeMeasuredIsTriedOnceAndTheOthersContinue) {
    refused_ = 1;
    EXPECT_EQ(run(3), ExitCode::done);
    EXPECT_EQ(order_, (std::vector<std::uint64_t>{1, 2, 2, 2}));
    EXPECT_EQ(sides_[0].refusal, "it is not there");
    EXPECT_TRUE(sides_[0].runs.empty());
    EXPECT_EQ(sides_[1].runs.size(), 3U);
}

TEST_F(Rounds, TheSameCommandContinuesAfterAnInterrupt) {
    stop_after_ = 3;
    EXPECT_EQ(run(2), ExitCode::interrupted);
    stop_after_ = 0;
    stop_ = false;
    EXPECT_EQ(run(2), ExitCode::done);
    EXPECT_EQ(order_, (std::vector<std::uint64_t>{1}));
    EXPECT_EQ(sides_[0].runs.size(), 2U);
    EXPECT_EQ(sides_[1].runs.size(), 2U);
}

TEST_F(Rounds, EndWhenThereAreEnough) {
    hooks_.are_enough = [](const std::vector<Side>& sides) { return sides[1].runs.size() == 2; };
    EXPECT_EQ(run(5), ExitCode::done);
    EXPECT_EQ(order_.size(), 4U);
    EXPECT_EQ(run(5), ExitCode::done);  // new, not a third round of the first
    EXPECT_EQ(order_.size(), 4U);
}

TEST_F(Rounds, ACompletedComparisonIsMeasuredAgain) {
    EXPECT_EQ(run(1), ExitCode::done);
    EXPECT_EQ(run(1), ExitCode::done);
    EXPECT_EQ(order_.size(), 2U);
}

}  // namespace
}  // namespace strata
