// SPDX-License-Identifier: MIT
#include "analyze/rollup.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace strata {
namespace {

std::vector<StepGroup> grouped(const strata::Run& run, std::vector<Grouping> by) {
    std::vector<std::size_t> all(run.steps.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return rolled_up(run, summarise(run), bounds_of(run), by, all);
}

const StepGroup& named(const std::vector<StepGroup>& groups, std::string_view name) {
    return *std::ranges::find(groups, name, &StepGroup::name);
}

TEST(RollUp, PartsSumToTheWhole) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const Summary summary = summarise(run);
    Seconds whole;
    for (const auto& pass : summary.passes) {
        whole += pass.time;
    }
    for (std::size_t i = 0; i < names_of(Grouping{}).size(); ++i) {
        Seconds time;
        double share = 0;
        std::size_t steps = 0;
        for (const auto& group : grouped(run, {static_cast<Grouping>(i), Grouping::pass})) {
            Seconds parts;
            for (const auto& part : group.parts) {
                parts += part.reach.median;
            }
            EXPECT_NEAR(parts.value, group.reach.median.value, 1e-12) << group.name;
            time += group.reach.median;
            share += group.share.value_or(0);
            steps += group.members.size();
        }
        EXPECT_NEAR(time.value, whole.value, 1e-12) << names_of(Grouping{})[i];
        EXPECT_NEAR(share, 1, 1e-12);
        EXPECT_EQ(steps, run.steps.size());
    }
}

TEST(RollUp, ReordersAreNotConvolutions) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const auto groups = grouped(run, {Grouping::operation});
    EXPECT_EQ(named(groups, "reorder").members.size(), 1u);
    EXPECT_EQ(named(groups, "reorder").flops, Flops{});
    EXPECT_EQ(named(groups, "convolution").layers, 5u);
}

TEST(RollUp, BackwardOverForwardIncludesBothGradients) {
    strata::Run run =
        testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{2}}),
                         testing::scripted_step("a", Pass::backward_data, {Seconds{3}}),
                         testing::scripted_step("a", Pass::backward_weights, {Seconds{4}}),
                         testing::scripted_step("a", Pass::update, {Seconds{50}}),
                         testing::scripted_step("b", Pass::forward, {Seconds{1}})});
    const auto groups = grouped(run, {Grouping::layer});
    EXPECT_DOUBLE_EQ(*named(groups, "a").backward_over_forward(), 3.5);
    EXPECT_FALSE(named(groups, "b").backward_over_forward());
}

TEST(RollUp, PassesAreInTheOrderOfAStep) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::update, {Seconds{1}}),
                                       testing::scripted_step("a", Pass::forward, {Seconds{1}})});
    EXPECT_EQ(grouped(run, {Grouping::pass}).front().name, "forward");
}

TEST(RollUp, UnmeasuredStepsAddNoTime) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {})});
    run.steps[0].time = Skipped{"no kernel"};
    run.steps[0].flops = Flops{1e9};
    const auto groups = grouped(run, {Grouping::layer});
    EXPECT_EQ(groups[0].members.size(), 1u);
    EXPECT_EQ(groups[0].flops, Flops{});
    EXPECT_FALSE(groups[0].reach.achieved());
}

std::string blocks(std::vector<std::string> layers) {
    std::string text;
    for (const auto& block : blocks_of(layers)) {
        text += (text.empty() ? "" : " ") + block;
    }
    return text;
}

TEST(Blocks, APathIsCutAtItsFirstNumber) {
    EXPECT_EQ(blocks({"layer1.0.conv1", "layer1.0.downsample.0", "layer1.1.conv1"}),
              "layer1.0 layer1.0 layer1.1");
    EXPECT_EQ(blocks({"encoder.layer.3.attention.self.query"}), "encoder.layer.3");
    EXPECT_EQ(blocks({"/layer1/layer1.0/conv1/Conv"}), "/layer1/layer1.0");
}

TEST(Blocks, APathWithoutANumberInsideLosesItsLastPart) {
    EXPECT_EQ(blocks({"fire2/squeeze1x1", "fire2/relu_squeeze1x1"}), "fire2 fire2");
    EXPECT_EQ(blocks({"features.3", "classifier.6"}), "features classifier");
    EXPECT_EQ(blocks({"conv3", "conv3.relu"}), "conv3 conv3");
}

TEST(Blocks, NamesWithoutAPathAreGroupedByTheirFirstNumber) {
    EXPECT_EQ(blocks({"conv1_1", "relu1_1", "pool1", "conv2_1", "fc1", "loss"}),
              "conv1_1..pool1 conv1_1..pool1 conv1_1..pool1 conv2_1 fc1 loss");
}

TEST(Blocks, HostileNamesHaveBlocksToo) {
    EXPECT_EQ(blocks_of(std::vector<std::string>{"", "/", ".", "a", "..."}).size(), 5u);
}

}  // namespace
}  // namespace strata
