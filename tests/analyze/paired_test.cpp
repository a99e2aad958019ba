// SPDX-License-Identifier: MIT
#include "analyze/paired.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

// Samples around a time: enough for an interval.
std::vector<Seconds> around(double time) {
    std::vector<Seconds> values;
    for (const double share : {0.98, 0.99, 1.0, 1.0, 1.0, 1.01, 1.02, 1.0, 0.99, 1.01}) {
        values.push_back(Seconds{time * share});
    }
    return values;
}

StepResult included(std::string layer, std::string step) {
    StepResult result = scripted_step(std::move(layer), Pass::forward, {});
    result.time = Included{std::move(step)};
    return result;
}

TEST(Paired, ARatioWhoseIntervalHoldsOneIsNoDifference) {
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(2)),
                                       scripted_step("b", Pass::forward, around(1)),
                                       scripted_step("c", Pass::forward, around(1))});
    const strata::Run after = run_of({scripted_step("a", Pass::forward, around(1)),
                                      scripted_step("b", Pass::forward, around(1.005)),
                                      scripted_step("c", Pass::forward, around(3))});
    const auto rows = pair_of(before, after).rows;
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].change(), Change::faster);
    EXPECT_NEAR(rows[0].ratio->value, 0.5, 1e-9);
    EXPECT_LT(rows[0].ratio->low, 0.5);
    EXPECT_GT(rows[0].ratio->high, 0.5);
    EXPECT_EQ(rows[1].change(), Change::none);
    EXPECT_EQ(rows[2].change(), Change::slower);
}

TEST(Paired, AFewSamplesSayNothing) {
    const std::vector<Seconds> few = {Seconds{1.0}, Seconds{1.01}};
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(2))});
    const strata::Run after = run_of({scripted_step("a", Pass::forward, few)});
    const auto rows = pair_of(before, after).rows;
    EXPECT_TRUE(rows[0].ratio);
    EXPECT_EQ(rows[0].change(), Change::uncertain);
}

TEST(Paired, LayersThatAreOneOperationInOneRunAreOneRow) {
    const strata::Run before = run_of({scripted_step("conv", Pass::forward, around(2)),
                                       scripted_step("relu", Pass::forward, around(1))});
    const strata::Run after = run_of(
        {scripted_step("conv", Pass::forward, around(2.4)), included("relu", "conv forward")});
    const auto rows = pair_of(before, after).rows;
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].layers, (std::vector<std::string>{"conv", "relu"}));
    EXPECT_NEAR(rows[0].before->median.value, 3, 1e-9);
    EXPECT_NEAR(rows[0].ratio->value, 0.8, 1e-9);
    EXPECT_EQ(pair_of(after, before).rows.front().layers, rows[0].layers);
}

TEST(Paired, WhatOnlyOneRunMeasuredHasNoRatio) {
    const strata::Run before = run_of({scripted_step("a", Pass::forward, around(1))});
    const strata::Run after = run_of({scripted_step("a", Pass::forward, around(1)),
                                      scripted_step("b", Pass::forward, around(1))});
    const auto rows = pair_of(before, after).rows;
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[1].change(), Change::unknown);
    EXPECT_FALSE(rows[1].before);
    EXPECT_TRUE(rows[1].after);
}

TEST(Paired, SettingsThatDifferAreNamedAndThePolicyIsNotAmongThem) {
    Settings before;
    set_policy(before, "max_time=1");
    Settings after = before;
    set_stored(after, "algorithm", "winograd");
    set_policy(after, "max_time=9");
    set_further(after, "fuse", "on");
    EXPECT_EQ(differences_between(before, after),
              (std::vector<SettingDifference>{{"algorithm", "direct", "winograd"},
                                              {"fuse", "default", "on"}}));
    EXPECT_TRUE(differences_between(before, before).empty());
}

TEST(Paired, AnIncompleteRunIsNotCompared) {
    strata::Run before = run_of({scripted_step("a", Pass::forward, around(2)),
                                 scripted_step("b", Pass::forward, around(1))});
    strata::Run after = before;
    before.whole.end_to_end.values = after.whole.end_to_end.values = around(3);
    EXPECT_EQ(pair_of(before, after).refusal, "");
    after.id = 7;
    after.steps[1].time = Skipped{"no bf16 here"};
    const Pairing pairing = pair_of(before, after);
    EXPECT_EQ(pairing.refusal,
              "run 7 is incomplete: 1 of 2 steps could not run here (b forward: no bf16 here)");
    EXPECT_TRUE(pairing.rows.empty());
    EXPECT_FALSE(pairing.whole.ratio);
}

TEST(Paired, AnAlgorithmThatIsNotThereIsNotWhatRan) {
    StepResult convolution = scripted_step("a", Pass::forward, around(1));
    convolution.operation = "convolution";
    convolution.algorithm = "direct";
    strata::Run before = run_of({convolution});
    strata::Run after = before;
    set_stored(after.settings, "algorithm", "winograd");
    EXPECT_EQ(
        pair_of(before, after).differences,
        (std::vector<SettingDifference>{{"algorithm", "direct", "direct instead of winograd"}}));
}

}  // namespace
}  // namespace strata
