// SPDX-License-Identifier: MIT
#include "analyze/gains.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::scripted_step;

// 200 GFLOP/s: each step could take half a second.
StepResult counted_step(std::string layer, double seconds) {
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

Reach reach(const strata::Run& run) {
    return reach_of(run, summarise(run), bounds_of(run));
}

TEST(Reach, AGainIsTimeBeyondTheCeiling) {
    const Reach found = reach(judged({counted_step("near", 0.6), counted_step("far", 1.4)}));
    EXPECT_DOUBLE_EQ(found.gain.value, 1);
    EXPECT_DOUBLE_EQ(found.median.value, 2);
    EXPECT_DOUBLE_EQ(*found.achieved(), 0.5);
}

TEST(Reach, BeyondItsCeilingAStepKeepsItsTime) {
    const Reach found = reach(judged({counted_step("winograd", 0.4), counted_step("plain", 1)}));
    EXPECT_DOUBLE_EQ((found.median - found.gain).value, 0.9);
}

TEST(Reach, WithoutCeilingsThereIsNoGain) {
    const Reach found = reach(testing::run_of({counted_step("a", 1)}));
    EXPECT_EQ(found.gain, Seconds{});
    EXPECT_EQ(found.unjudged, Seconds{1});
    EXPECT_FALSE(found.achieved());
}

TEST(Reach, AnAliasProvesNoCeiling) {
    StepResult alias = counted_step("flatten", 1e-7);
    alias.implementation_kind = ImplementationKind::alias;
    EXPECT_FALSE(reach(testing::run_of({alias, counted_step("a", 1)})).has_ceiling);
    EXPECT_TRUE(reach(judged({alias, counted_step("a", 1)})).has_ceiling);
    EXPECT_EQ(reach(judged({alias, counted_step("a", 1)})).unjudged, Seconds{});
    Reach aliases;
    aliases.add(alias, {.time = estimate(Samples{{Seconds{1e-7}}}), .share = 0}, {});
    EXPECT_FALSE(aliases.achieved()) << "it has no ceiling to be held against";
}

TEST(Reach, AGainWithinTheUncertaintyOfItsTimeIsUncertain) {
    StepResult noisy = counted_step("noisy", 0);
    noisy.time = Samples{{Seconds{0.3}, Seconds{0.6}, Seconds{2}}};
    const Reach found = reach(judged({noisy}));
    EXPECT_DOUBLE_EQ(found.uncertainty->value, 1.4);
    EXPECT_FALSE(found.is_certain());
    EXPECT_FALSE(reach(judged({counted_step("single", 1)})).uncertainty);
}

TEST(Reach, UncertaintiesOfStepsAddUp) {
    StepResult noisy = counted_step("noisy", 0);
    noisy.time = Samples{{Seconds{0.5}, Seconds{0.6}, Seconds{0.7}}};
    const Reach found = reach(judged({noisy, noisy}));
    EXPECT_NEAR(found.uncertainty->value, 0.2, 1e-12);
}

}  // namespace
}  // namespace strata
