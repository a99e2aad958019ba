// SPDX-License-Identifier: MIT
#include "record/step_times.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr Seconds quick{0.4e-3};
constexpr Seconds delayed{16.5e-3};

// A step with a given number of undelayed samples.
StepResult step_with(std::string layer, std::size_t clean, std::size_t disturbed,
                     std::string problem = "pow 1000") {
    StepResult step;
    step.layer = std::move(layer);
    step.operation = "pow";
    step.problem = std::move(problem);
    Samples samples;
    samples.values.assign(clean, quick);
    samples.disturbed.assign(clean, false);
    samples.values.insert(samples.values.end(), disturbed, delayed);
    samples.disturbed.insert(samples.disturbed.end(), disturbed, true);
    step.time = samples;
    return step;
}

strata::Run run_with(std::vector<StepResult> steps) {
    strata::Run run;
    run.steps = std::move(steps);
    return run;
}

TEST(StepTimes, DelayedSamplesAreLeftOutAndCounted) {
    const auto times = step_times(run_with({step_with("a", 8, 12)}));
    EXPECT_EQ(times[0]->median, quick);
    EXPECT_EQ(times[0]->samples, 8u);
    EXPECT_EQ(times[0]->disturbed, 12u);
    EXPECT_EQ(times[0]->use, SampleUse::clean);
}

TEST(StepTimes, AStepWithTooFewUndisturbedSamplesTakesThoseOfEqualSteps) {
    const auto times =
        step_times(run_with({step_with("layers.1.pow", 2, 18), step_with("layers.2.pow", 0, 20),
                             step_with("layers.3.pow", 4, 16)}));
    for (const auto& time : times) {
        EXPECT_EQ(time->median, quick);
        EXPECT_EQ(time->samples, 6u);
        EXPECT_EQ(time->use, SampleUse::pooled);
    }
    EXPECT_EQ(times[1]->disturbed, 20u) << "its own";
}

TEST(StepTimes, AStepKeepsItsOwnSamplesIfTheyAreEnough) {
    StepResult slower = step_with("b", 10, 10);
    for (Seconds& time : std::get<Samples>(slower.time).values) {
        time = 2 * time;
    }
    const auto times = step_times(run_with({step_with("a", 10, 10), slower}));
    EXPECT_EQ(times[0]->median, quick);
    EXPECT_EQ(times[1]->median, 2 * quick);
}

TEST(StepTimes, DifferentStepsDoNotShareSamples) {
    const auto times =
        step_times(run_with({step_with("a", 1, 19), step_with("b", 20, 0, "pow 2000")}));
    EXPECT_EQ(times[0]->median, delayed);
    EXPECT_EQ(times[0]->use, SampleUse::disturbed);
    EXPECT_TRUE(is_inconclusive(times[0]));
    EXPECT_EQ(times[1]->use, SampleUse::all);
}

TEST(StepTimes, OfFewSamplesTheMajorityIsEnough) {
    EXPECT_EQ(step_times(run_with({step_with("a", 2, 1)}))[0]->use, SampleUse::clean);
    EXPECT_EQ(step_times(run_with({step_with("a", 1, 2)}))[0]->use, SampleUse::disturbed);
}

TEST(StepTimes, ADoubtSaysHowManySamplesWereLeftOut) {
    EXPECT_FALSE(disturbance_doubt(run_with({step_with("a", 1000, 5)})));
    const auto doubt = disturbance_doubt(run_with({step_with("a", 80, 20)}));
    ASSERT_TRUE(doubt);
    EXPECT_EQ(doubt->kind, DoubtKind::disturbed);
    EXPECT_EQ(doubt->sentence.find("other programs delayed 20 of 100 samples of the steps"), 0u);
}

TEST(StepTimes, ADoubtCountsTheStepsThatSupportNoConclusion) {
    const auto doubt =
        disturbance_doubt(run_with({step_with("a", 0, 5), step_with("b", 100, 0, "pow 2000")}));
    ASSERT_TRUE(doubt);
    EXPECT_NE(doubt->sentence.find("1 step has too few others"), std::string::npos);
}

}  // namespace
}  // namespace strata
