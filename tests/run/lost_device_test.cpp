// SPDX-License-Identifier: MIT
#include "run/lost_device.h"

#include "run/execute.h"
#include "tests/support/scripted_backend.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

// Two fully connected layers on a device that one of them kills.
class LostDevice : public ::testing::Test {
protected:
    LostDevice() {
        job_.request = {.network = "fc:layers=2,nodes=8", .batch = 2, .dims = {}, .variables = {}};
        job_.backend = "scripted";
        job_.policy = {.warmup = 0,
                       .min_time = Seconds{0},
                       .max_time = Seconds{0.1},
                       .min_samples = 3,
                       .precision = 10};
    }

    const StepResult& step(const strata::Run& run, const Task& task) const {
        return *std::ranges::find_if(run.steps, [&](const StepResult& one) {
            return one.layer == graph_.layers[task.layer].name && one.pass == task.pass;
        });
    }

    strata::Run failing(const Task& task, const std::optional<strata::Run>& earlier = {}) {
        strata::testing::ScriptedBackend backend([&](strata::testing::ScriptedExecutable&) {
            throw StepFailure(task, "an illegal address");
        });
        return execute(job_, graph_, backend, {}, earlier);
    }

    Job job_;
    Graph graph_ = [] {
        Job job;
        job.request = {.network = "fc:layers=2,nodes=8", .batch = 2, .dims = {}, .variables = {}};
        return graph_for(job);
    }();
    static constexpr Task culprit = {.layer = 1, .pass = Pass::forward};
};

TEST_F(LostDevice, TheStepThatDidItHasFailedAndNoOtherIsMeasured) {
    const strata::Run run = failing(culprit);
    EXPECT_EQ(run.state, RunState::partial);
    EXPECT_TRUE(lost_its_device(run));
    EXPECT_EQ(std::get<Failed>(step(run, culprit).time).reason, "an illegal address");
    for (const StepResult& one : run.steps) {
        if (&one != &step(run, culprit)) {
            EXPECT_NE(std::get<Skipped>(one.time).reason.find(graph_.layers[1].name),
                      std::string::npos);
        }
    }
}

TEST_F(LostDevice, TheSameCommandLeavesItOutAndMeasuresTheRest) {
    const strata::Run earlier = failing(culprit);
    strata::testing::ScriptedBackend backend([&](strata::testing::ScriptedExecutable&) {});
    const strata::Run run = execute(job_, graph_, backend, {}, earlier);
    ASSERT_EQ(backend.asked.omissions.size(), 1u);
    EXPECT_EQ(backend.asked.omissions[0].layer, graph_.layers[1].name);
    EXPECT_EQ(backend.asked.omissions[0].pass, Pass::forward);
    EXPECT_EQ(run.state, RunState::complete);
    EXPECT_FALSE(lost_its_device(run));
    EXPECT_EQ(std::get<Failed>(step(run, culprit).time).reason, "an illegal address");
    EXPECT_TRUE(std::holds_alternative<Samples>(step(run, {0, Pass::forward}).time));
}

TEST_F(LostDevice, ASecondCulpritJoinsTheFirst) {
    const Task second = {.layer = 0, .pass = Pass::update};
    const strata::Run run = failing(second, failing(culprit));
    const auto omissions = omissions_of(run);
    ASSERT_EQ(omissions.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<Failed>(step(run, culprit).time));
    EXPECT_TRUE(std::holds_alternative<Failed>(step(run, second).time));
}

TEST_F(LostDevice, AStepThatOnlyComputesWrongIsNotLeftOutNextTime) {
    strata::Run run = failing(culprit);
    run.flags.clear();
    EXPECT_TRUE(omissions_of(run).empty());
}

}  // namespace
}  // namespace strata
