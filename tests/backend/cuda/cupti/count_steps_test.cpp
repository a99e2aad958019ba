// SPDX-License-Identifier: MIT
#include "backend/cuda/cupti/count_steps.h"

#include "backend/reference/reference.h"
#include "networks/network.h"
#include "tests/backend/cuda/cupti/scripted_counter.h"
#include "tests/support/scripted_backend.h"

#include <cupti_result.h>
#include <gtest/gtest.h>

#include <set>

namespace strata::cuda {
namespace {

// Two equal layers, whose gradients in the middle are equal, too.
Graph twins() {
    return load_network({.network = "fc:layers=4,nodes=8,inputs=8,outputs=8",
                         .batch = 2,
                         .dims = {},
                         .variables = {}});
}

class CountSteps : public ::testing::Test {
protected:
    CountSteps() {
        prepare([](strata::testing::ScriptedExecutable&) {});
    }

    void prepare(std::function<void(strata::testing::ScriptedExecutable&)> script) {
        strata::testing::ScriptedBackend backend(std::move(script));
        executable_ = backend.prepare(graph_, {.numerics = {.mode = Mode::inference}});
        distinct_ = distinct_steps(graph_, executable_->steps());
    }

    // Counts with a counter controlled by the script, made anew for each step.
    void count(std::function<void(ScriptedCounter&)> script = [](ScriptedCounter&) {}) {
        count_steps(
            *executable_,
            {.steps = distinct_,
             .plan = &plan_,
             .passes = 3,
             .make_counter =
                 [&, script] {
                     ++counters_made_;
                     auto counter = std::make_unique<ScriptedCounter>();
                     script(*counter);
                     return counter;
                 },
             .is_known = [&](const DistinctStep& s) { return known_.contains(s.signature); },
             .keep = [&](CountedStep step) { kept_.push_back(std::move(step)); }});
    }

    std::string reason(std::size_t step) const {
        return std::get<NoValue>(kept_.at(step).metrics.at(0).value).reason;
    }

    Graph graph_ = twins();
    std::unique_ptr<Executable> executable_;
    std::vector<DistinctStep> distinct_;
    MetricPlan plan_{
        .chip = "GH100",
        .metrics = {{.metric = {.name = "twice_a", .formula = MetricFormula::parse("2 * a")}}},
        .counters = {"a"}};
    std::set<std::string> known_;
    std::vector<CountedStep> kept_;
    int counters_made_ = 0;
};

TEST_F(CountSteps, LayersThatAreAlikeAreCountedOnce) {
    std::size_t steps = 0;
    for (const DistinctStep& step : distinct_) {
        steps += step.steps.size();
    }
    EXPECT_EQ(steps, executable_->steps().size());
    EXPECT_LT(distinct_.size(), steps);
    count();
    EXPECT_EQ(kept_.size(), distinct_.size());
}

TEST_F(CountSteps, EveryStepGetsTheMetricsOfItsOwnCounters) {
    count([&](ScriptedCounter& counter) { counter.values["a"] = double(counters_made_); });
    ASSERT_GE(kept_.size(), 2u);
    EXPECT_EQ(kept_[0].metrics.at(0).value, MetricValue(2.0));
    EXPECT_EQ(kept_[1].metrics.at(0).value, MetricValue(4.0));
}

TEST_F(CountSteps, WhatWasCountedBeforeIsNotCountedAgain) {
    known_.insert(distinct_.at(0).signature);
    count();
    EXPECT_EQ(kept_.size(), distinct_.size() - 1);
    EXPECT_EQ(kept_.at(0).step.signature, distinct_.at(1).signature);
}

TEST_F(CountSteps, WhatForbidsCountingIsFoundOnceAndReportedForEveryStep) {
    count([](ScriptedCounter& counter) {
        counter.fails_at = "start";
        counter.code = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    });
    EXPECT_EQ(counters_made_, 1);
    ASSERT_EQ(kept_.size(), distinct_.size());
    for (std::size_t step = 0; step < kept_.size(); ++step) {
        EXPECT_NE(reason(step).find("only administrators"), std::string::npos);
    }
}

TEST_F(CountSteps, ATroubleOfOneStepLeavesTheOthers) {
    count([&](ScriptedCounter& counter) {
        counter.fails_at = counters_made_ == 1 ? "read" : "";
        counter.code = CUPTI_ERROR_UNKNOWN;
    });
    EXPECT_NE(reason(0).find("CUPTI refuses"), std::string::npos);
    EXPECT_EQ(kept_.at(1).metrics.at(0).value, MetricValue(2.0));
}

TEST_F(CountSteps, AStepThatFailsIsKeptWithItsReasonAndTheRestIsCounted) {
    prepare([](strata::testing::ScriptedExecutable& executable) {
        executable.after(0, [](Executable&) { throw Error("the kernel never ended"); });
    });
    count();
    EXPECT_EQ(reason(0), "the step failed: the kernel never ended");
    EXPECT_EQ(kept_.at(1).metrics.at(0).value, MetricValue(2.0));
}

TEST_F(CountSteps, RefusedStepsAreNotCounted) {
    prepare([](strata::testing::ScriptedExecutable& executable) {
        executable.refuse(0, "not on this device");
    });
    for (const DistinctStep& step : distinct_) {
        EXPECT_NE(step.steps.front(), 0u);
    }
}

}  // namespace
}  // namespace strata::cuda
