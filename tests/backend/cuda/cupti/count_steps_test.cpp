// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/count_steps.h"

#include "tests/backend/cuda/cupti/scripted_counter.h"

#include <cupti_result.h>
#include <gtest/gtest.h>

namespace strata::cuda {
namespace {

// Iterations of four steps; the second has nothing to do and is never begun.
class CountSteps : public ::testing::Test {
protected:
    // Counts with counters that the script directs; one is made for each group of ranges.
    void count(std::function<void(ScriptedCounter&)> script = [](ScriptedCounter&) {}) {
        count_steps({.steps = {0, 2, 3},
                     .plan = &plan_,
                     .passes = 3,
                     .iterate = [this](StepWatch& watch) { iterate(watch); },
                     .make_counter =
                         [&, script](std::size_t ranges) {
                             ranges_.push_back(ranges);
                             auto counter = std::make_unique<ScriptedCounter>();
                             script(*counter);
                             return counter;
                         },
                     .is_stopped = [this] { return iterations_ >= stopped_after_; },
                     .keep = [&](CountedStep step) { kept_.push_back(std::move(step)); }});
    }

    void iterate(StepWatch& watch) {
        ++iterations_;
        for (const std::size_t step : {0u, 2u, 3u}) {
            const WatchedStep watched(watch, step, {});
            if (step == failing_step_) {
                throw Error("the kernel never ended");
            }
        }
    }

    std::vector<std::size_t> kept_steps() const {
        std::vector<std::size_t> steps;
        std::ranges::transform(kept_, std::back_inserter(steps), &CountedStep::step);
        return steps;
    }

    MetricValue value(std::size_t kept) const { return kept_.at(kept).metrics.at(0).value; }
    std::string reason(std::size_t kept) const { return std::get<NoValue>(value(kept)).reason; }

    MetricPlan plan_{
        .chip = "GH100",
        .metrics = {{.metric = {.name = "twice_a", .formula = MetricFormula::parse("2 * a")}}},
        .counters = {"a"}};
    std::vector<CountedStep> kept_;
    std::vector<std::size_t> ranges_;
    int iterations_ = 0;
    int stopped_after_ = 1000;
    std::size_t failing_step_ = 1000;
};

TEST_F(CountSteps, AllStepsAreCountedInAsManyIterationsAsPasses) {
    count();
    EXPECT_EQ(iterations_, 3);
    EXPECT_EQ(ranges_, std::vector<std::size_t>{3});
    EXPECT_EQ(kept_steps(), (std::vector<std::size_t>{0, 2, 3}));
}

TEST_F(CountSteps, EveryStepHasARangeOfItsOwnInEachIteration) {
    count([](ScriptedCounter& counter) { counter.values["a"] = 1.5; });
    for (std::size_t kept = 0; kept < 3; ++kept) {
        EXPECT_EQ(value(kept), MetricValue(3.0));
    }
}

TEST_F(CountSteps, RangesThatAreDroppedAreCountedInFurtherIterations) {
    count([](ScriptedCounter& counter) { counter.max_ranges = 2; });
    EXPECT_EQ(ranges_, (std::vector<std::size_t>{3, 2, 1}));
    EXPECT_EQ(kept_steps(), (std::vector<std::size_t>{0, 2, 3}));
    EXPECT_EQ(value(2), MetricValue(2.0));
}

TEST_F(CountSteps, AnObstacleToCountingIsFoundOnceAndReportedForEveryStep) {
    count([](ScriptedCounter& counter) {
        counter.fails_at = "start";
        counter.code = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    });
    EXPECT_EQ(ranges_.size(), 1u);
    ASSERT_EQ(kept_.size(), 3u);
    for (std::size_t kept = 0; kept < 3; ++kept) {
        EXPECT_NE(reason(kept).find("only administrators"), std::string::npos);
    }
}

TEST_F(CountSteps, AStepThatFailsIsTheReasonOfAll) {
    failing_step_ = 2;
    count();
    EXPECT_EQ(reason(0), "an iteration failed: the kernel never ended");
    EXPECT_EQ(kept_.size(), 3u);
}

TEST_F(CountSteps, AStopKeepsNoIncompleteCounts) {
    stopped_after_ = 2;
    count();
    EXPECT_EQ(iterations_, 2);
    EXPECT_TRUE(kept_.empty());
}

}  // namespace
}  // namespace strata::cuda
