// SPDX-License-Identifier: MIT
#include "analyze/summary.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <numeric>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

Run two_layers() {
    StepResult reorder = scripted_step("b", Pass::forward, {Seconds{1}});
    reorder.kind = StepKind::reorder;
    StepResult skipped = scripted_step("c", Pass::forward, {});
    skipped.time = Skipped{"no kernel"};
    return run_of({scripted_step("a", Pass::forward, {Seconds{2}}), reorder,
                   scripted_step("b", Pass::forward, {Seconds{3}}), skipped,
                   scripted_step("b", Pass::backward_data, {Seconds{4}})});
}

TEST(Summary, SharesAddUpToTheWhole) {
    const Summary summary = summarise(testing::scripted_run(testing::zoo_graph("alexnet", 4)));
    const double sum = std::accumulate(
        summary.steps.begin(), summary.steps.end(), 0.0,
        [](double before, const StepTime& step) { return before + step.share.value_or(0); });
    EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Summary, ALayersReordersCountTowardsItsPass) {
    const Summary summary = summarise(two_layers());
    ASSERT_EQ(summary.layers.size(), 3u);
    EXPECT_EQ(summary.layers[1].layer, "b");
    EXPECT_EQ(summary.layers[1].passes[0], Seconds{4});
    EXPECT_EQ(summary.layers[1].time, Seconds{8});
}

TEST(Summary, ALayerThatCouldNotRunHasNoTimeRatherThanZero) {
    const Summary summary = summarise(two_layers());
    EXPECT_EQ(summary.layers[2].layer, "c");
    EXPECT_FALSE(summary.layers[2].passes[0]);
    EXPECT_FALSE(summary.steps[3].time);
}

TEST(Summary, PassesThatDoNotOccurAreNotListed) {
    const Summary summary = summarise(two_layers());
    ASSERT_EQ(summary.passes.size(), 2u);
    EXPECT_EQ(summary.passes[0].time, Seconds{6});
    EXPECT_EQ(summary.passes[1].pass, Pass::backward_data);
}

TEST(Summary, OnlyACompleteRunHasShares) {
    strata::Run run = two_layers();
    for (const auto& step : summarise(run).steps) {
        EXPECT_FALSE(step.share);
    }
    std::erase_if(run.steps, [](const StepResult& step) {
        return std::holds_alternative<Skipped>(step.time);
    });
    EXPECT_DOUBLE_EQ(summarise(run).passes[1].share.value(), 0.4);
}

TEST(Summary, StepsAreFoundByLayerAndThenByPass) {
    const strata::Run run = run_of({scripted_step("a", Pass::forward, {Seconds{1}}),
                                    scripted_step("b", Pass::forward, {Seconds{1}}),
                                    scripted_step("b", Pass::backward_weights, {Seconds{1}}),
                                    scripted_step("b", Pass::backward_data, {Seconds{1}}),
                                    scripted_step("a", Pass::update, {Seconds{1}})});
    EXPECT_EQ(steps_by_layer(run), (std::vector<std::size_t>{0, 4, 1, 3, 2}));
}

TEST(Summary, AnEmptyRunHasAnEmptySummary) {
    const Summary summary = summarise({});
    EXPECT_TRUE(summary.steps.empty());
    EXPECT_TRUE(summary.layers.empty());
    EXPECT_FALSE(summary.budget.steps);
}

}  // namespace
}  // namespace strata
