// SPDX-License-Identifier: MIT
#include "analyze/fused_shares.h"

#include "tests/support/networks.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

std::size_t forward_of(const strata::Run& run, std::string_view layer) {
    const auto found = std::ranges::find_if(run.steps, [&](const StepResult& step) {
        return step.layer == layer && step.pass == Pass::forward;
    });
    return static_cast<std::size_t>(found - run.steps.begin());
}

// A run whose first ReLU is done by its convolution's step.
strata::Run fused_run(std::int64_t batch) {
    strata::Run run = testing::scripted_run(small_chain(batch));
    run.steps[forward_of(run, "relu1")].time = Included{"conv1 forward"};
    return run;
}

std::vector<FusedShare> shares_of(const strata::Run& run) {
    return fused_shares(run, summarise(run));
}

TEST(FusedShares, DivideTheStepsTimeAmongItsLayers) {
    const strata::Run run = fused_run(64);
    const auto shares = shares_of(run);
    ASSERT_EQ(shares.size(), 2u);
    EXPECT_EQ(run.steps[shares[0].step].layer, "conv1");
    EXPECT_EQ(run.steps[shares[1].step].layer, "relu1");
    EXPECT_EQ(shares[0].within, forward_of(run, "conv1"));
    const Seconds whole = summarise(run).steps[shares[0].within].time->median;
    EXPECT_DOUBLE_EQ(shares[0].share + shares[1].share, 1);
    EXPECT_NEAR((shares[0].time + shares[1].time).value, whole.value, 1e-12);
}

// At 20 GB/s the convolution moves 3 channels in and 4 out, 64 x 64 elements each, and its weights;
// the ReLU 4 and 4. Both are bound by memory.
TEST(FusedShares, AreInProportionToTheTimesAtTheCeilings) {
    const auto shares = shares_of(fused_run(64));
    ASSERT_EQ(shares.size(), 2u);
    const double image = 64 * 64 * 4, weights = (4 * 3 * 9 + 4) * 4;
    const double convolution =
        std::max((7 * image + weights) / 20e9, 64.0 * 64 * 4 * (2 * 27 + 1) / 200e9);
    const double relu = 8 * image / 20e9;
    EXPECT_NEAR(shares[1].share, relu / (convolution + relu), 1e-3);
}

TEST(FusedShares, NeedCeilingsAndATime) {
    strata::Run run = fused_run(4);
    run.steps[forward_of(run, "conv1")].time = Skipped{"refused"};
    EXPECT_TRUE(shares_of(run).empty());
    run = fused_run(4);
    run.device.reset();
    EXPECT_TRUE(shares_of(run).empty());
    EXPECT_TRUE(shares_of(testing::scripted_run(small_chain(4))).empty());
}

TEST(FusedShares, TwoPassesOfOneLayerAreNotAFusion) {
    strata::Run run = testing::scripted_run(small_chain(4));
    for (StepResult& step : run.steps) {
        if (step.layer == "fc2" && step.pass == Pass::backward_weights) {
            step.time = Included{"fc2 backward_data"};
        }
    }
    EXPECT_TRUE(shares_of(run).empty());
}

}  // namespace
}  // namespace strata
