// SPDX-License-Identifier: MIT
#include "analyze/gains.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::scripted_step;

// 200 GFLOP/s: each step could take half a second.
StepResult step(std::string layer, double seconds) {
    StepResult step = scripted_step(std::move(layer), Pass::forward, {Seconds{seconds}});
    step.flops = Flops{100e9};
    return step;
}

strata::Run judged(std::vector<StepResult> steps) {
    strata::Run run = testing::run_of(std::move(steps));
    run.device = testing::scripted_device();
    run.settings.execution.scheduling.threads = 2;
    return run;
}

Gains gains(const strata::Run& run) {
    return gains_of(run, summarise(run), bounds_of(run));
}

TEST(Gains, AreTimeBeyondTheCeilingLargestFirst) {
    const Gains found = gains(judged({step("near", 0.6), step("far", 1.4)}));
    ASSERT_EQ(found.steps.size(), 2u);
    EXPECT_EQ(found.steps[0].step, 1u);
    EXPECT_DOUBLE_EQ(found.steps[0].gain.value, 0.9);
    EXPECT_DOUBLE_EQ(found.steps[0].share, 0.45);
    EXPECT_DOUBLE_EQ(found.steps[1].gain.value, 0.1);
    EXPECT_DOUBLE_EQ(found.median.value, 2);
    EXPECT_DOUBLE_EQ(found.at_ceilings.value, 1);
}

TEST(Gains, BeyondItsCeilingAStepKeepsItsTime) {
    const Gains found = gains(judged({step("winograd", 0.4), step("plain", 1)}));
    ASSERT_EQ(found.steps.size(), 1u);
    EXPECT_DOUBLE_EQ(found.at_ceilings.value, 0.9);
}

TEST(Gains, WithoutCeilingsNothingIsSaidToBeWon) {
    const Gains found = gains(testing::run_of({step("a", 1)}));
    EXPECT_TRUE(found.steps.empty());
    EXPECT_EQ(found.unjudged, Seconds{1});
    EXPECT_EQ(found.at_ceilings, Seconds{1});
}

TEST(Gains, AnAliasProvesNoCeiling) {
    StepResult alias = step("flatten", 1e-7);
    alias.implementation = "alias";
    EXPECT_FALSE(gains(testing::run_of({alias, step("a", 1)})).is_judged);
    EXPECT_TRUE(gains(judged({alias, step("a", 1)})).is_judged);
    Reach aliases;
    add(aliases, alias, {.time = estimate({{Seconds{1e-7}}}), .share = 0}, {});
    EXPECT_FALSE(aliases.achieved()) << "it has no ceiling to be held against";
}

TEST(Gains, AnAliasIsNeverAdvisedOn) {
    StepResult alias = step("flatten", 1e-7);
    alias.implementation = "alias";
    const Gains found = gains(judged({alias, step("a", 1)}));
    ASSERT_EQ(found.steps.size(), 1u);
    EXPECT_EQ(found.unjudged, Seconds{});
}

TEST(Gains, AGainWithinTheUncertaintyOfItsTimeIsUncertain) {
    StepResult noisy = step("noisy", 0);
    noisy.time = Samples{{Seconds{0.3}, Seconds{0.6}, Seconds{2}}};
    const Gains found = gains(judged({noisy}));
    ASSERT_EQ(found.steps.size(), 1u);
    EXPECT_DOUBLE_EQ(found.steps[0].uncertainty->value, 1.4);
    EXPECT_FALSE(found.steps[0].is_certain());
    EXPECT_FALSE(gains(judged({step("single", 1)})).steps[0].uncertainty);
}

TEST(Gains, ShareOfCeilingsIsOfWhatIsJudgedAltogether) {
    const strata::Run run = judged({step("near", 0.5), step("far", 1.5)});
    const Summary summary = summarise(run);
    const auto bounds = bounds_of(run);
    Reach reach;
    add(reach, run.steps[0], summary.steps[0], bounds[0]);
    add(reach, run.steps[1], summary.steps[1], bounds[1]);
    EXPECT_DOUBLE_EQ(*reach.achieved(), 0.5);
    add(reach, run.steps[1], summary.steps[1], {});
    EXPECT_FALSE(reach.achieved());
}

}  // namespace
}  // namespace strata
