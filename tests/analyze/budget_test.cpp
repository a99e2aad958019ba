// SPDX-License-Identifier: MIT
#include "analyze/budget.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

Samples samples(std::vector<double> values) {
    Samples result;
    for (const double value : values) {
        result.values.push_back(Seconds{value});
    }
    return result;
}

TEST(Budget, StepsSampledTogetherAreAddedIterationByIteration) {
    // One step is slow when the other is fast: every iteration takes 5, but the medians add up to
    // 4.
    const strata::Run run = run_of({scripted_step("a", Pass::forward, samples({1, 1, 4}).values),
                                    scripted_step("b", Pass::forward, samples({4, 4, 1}).values)});
    EXPECT_EQ(sum_of_steps(run)->median, Seconds{5});
    EXPECT_EQ(sum_of_steps(run)->high, Seconds{5});
}

TEST(Budget, StepsSampledSeparatelyAddTheirMediansAndBounds) {
    const strata::Run run = run_of({scripted_step("a", Pass::forward, samples({1, 2, 3}).values),
                                    scripted_step("b", Pass::forward, samples({10, 20}).values)});
    const auto sum = sum_of_steps(run);
    EXPECT_EQ(sum->median, Seconds{17});
    EXPECT_EQ(sum->low, Seconds{11});
    EXPECT_EQ(sum->high, Seconds{23});
    EXPECT_EQ(sum->samples, 2u);
}

TEST(Budget, AStepOfSomeIterationsAddsItsAverageToEach) {
    StepResult rare = scripted_step("b", Pass::forward, samples({2}).values);
    rare.seen_in = SeenIn{.iterations = 1, .of = 5};
    strata::Run run =
        run_of({scripted_step("a", Pass::forward, samples({10, 11, 12, 13, 14}).values), rare});
    run.whole.instrumented = samples({13, 14, 15, 16, 17});
    EXPECT_EQ(sum_of_steps(run)->median, Seconds{14});
    EXPECT_EQ(sum_of_steps(run)->samples, 5u);
    EXPECT_NEAR(budget_of(run).between->time.value, 1, 1e-12);
    EXPECT_NEAR(budget_of(run).between->high.value, 1, 1e-9);
    EXPECT_EQ(sum_of_steps(run_of({rare}))->median, Seconds{2});
}

TEST(Budget, AnUnmeasuredStepAddsNothingAndIsNotZero) {
    StepResult skipped = scripted_step("b", Pass::forward, {});
    skipped.time = Skipped{"no kernel"};
    EXPECT_FALSE(sum_of_steps(run_of({skipped})));
    EXPECT_EQ(
        sum_of_steps(run_of({scripted_step("a", Pass::forward, {Seconds{2}}), skipped}))->median,
        Seconds{2});
}

TEST(Budget, TheResidualIsNotExplainedByTheSteps) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, {Seconds{95}})});
    run.whole.end_to_end = samples({100});
    run.whole.instrumented = samples({101});
    const Budget budget = budget_of(run);
    EXPECT_DOUBLE_EQ(budget.residual->value, 0.05);
    EXPECT_DOUBLE_EQ(budget.overhead->value, 0.01);
}

TEST(Budget, WithPreparedCachesStepsAreNotComparedWithTheWhole) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, {Seconds{95}})});
    run.whole.end_to_end = samples({100});
    run.whole.instrumented = samples({300});
    set_further(run.settings, "caches", "cold");
    const Budget budget = budget_of(run);
    EXPECT_FALSE(budget.is_comparable);
    EXPECT_FALSE(budget.residual);
    EXPECT_FALSE(budget.overhead);
    EXPECT_EQ(budget.steps->median, Seconds{95});
    EXPECT_EQ(budget.instrumented->median, Seconds{300});
}

TEST(Budget, IntervalsOfDifferencesTakeBothMediansAtTheirWorst) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, samples({90, 95, 96}).values)});
    run.whole.end_to_end = samples({99, 100, 102});
    const Budget budget = budget_of(run);
    EXPECT_DOUBLE_EQ(budget.residual->low, 0.03);
    EXPECT_DOUBLE_EQ(budget.residual->high, 0.12);
}

TEST(Budget, ADifferenceWithinTheNoiseIsNotSignificant) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, samples({90, 95, 96}).values)});
    run.whole.end_to_end = samples({99, 100, 110});
    run.whole.instrumented = samples({97, 98, 105});
    const Budget budget = budget_of(run);
    EXPECT_FALSE(budget.stamps->is_seen());
    EXPECT_EQ(budget.stamps->limit(), Seconds{13});
    run.whole.instrumented = samples({111, 112, 113});
    EXPECT_TRUE(budget_of(run).stamps->is_seen());
}

TEST(Budget, TheTimeBetweenStepsIsTakenIterationByIteration) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, samples({90, 50, 96}).values)});
    run.whole.instrumented = samples({92, 52, 98});  // always 2 more, whatever the noise
    const auto between = budget_of(run).between;
    EXPECT_TRUE(between->is_seen());
    EXPECT_NEAR(between->low.value, 2, 1e-9);
    EXPECT_NEAR(between->high.value, 2, 1e-9);
}

TEST(Budget, OneSampleEachShowsNoDifference) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, {Seconds{95}})});
    run.whole.end_to_end = samples({100});
    run.whole.instrumented = samples({101});
    EXPECT_FALSE(budget_of(run).stamps->is_seen());
    EXPECT_FALSE(budget_of(run).between->is_seen());
}

TEST(Budget, WithoutWholeIterationsThereIsNoResidual) {
    const Budget budget = budget_of(run_of({scripted_step("a", Pass::forward, {Seconds{1}})}));
    EXPECT_TRUE(budget.steps);
    EXPECT_FALSE(budget.end_to_end);
    EXPECT_FALSE(budget.residual);
    EXPECT_FALSE(budget.overhead);
}

TEST(Budget, AnIncompleteRunHasNoEndToEndTime) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}}),
                                       testing::scripted_step("b", Pass::forward, {Seconds{1}})});
    run.whole.end_to_end.values = run.whole.instrumented.values = {Seconds{2}};
    EXPECT_TRUE(budget_of(run).end_to_end);
    run.steps[1].time = Skipped{"not here"};
    const Budget budget = budget_of(run);
    EXPECT_FALSE(budget.is_whole);
    EXPECT_FALSE(budget.end_to_end);
    EXPECT_FALSE(budget.instrumented);
    EXPECT_FALSE(budget.residual);
    EXPECT_EQ(budget.steps->median, Seconds{1});
}

Samples delayed(std::vector<double> values, std::vector<bool> disturbed) {
    Samples result = samples(std::move(values));
    result.disturbed = std::move(disturbed);
    return result;
}

TEST(Budget, WithTooFewUndisturbedIterationsTheStepsAddUpTheirUndisturbedTimes) {
    StepResult a = scripted_step("a", Pass::forward, {});
    StepResult b = scripted_step("b", Pass::forward, {});
    a.time = delayed({1, 1, 1, 1, 9, 9, 1, 1}, {0, 0, 0, 0, 1, 1, 0, 0});
    b.time = delayed({9, 9, 2, 2, 2, 2, 2, 2}, {1, 1, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(sum_of_steps(run_of({a, b}))->median, Seconds{3});
    EXPECT_EQ(sum_of_steps(run_of({a, b}))->use, SampleUse::clean);
}

TEST(Budget, AWholeThatWasNearlyAlwaysDelayedSupportsNoDifference) {
    strata::Run run = run_of({scripted_step("a", Pass::forward, samples({1, 1, 1, 1}).values)});
    run.whole.end_to_end = delayed({3, 4, 5, 1}, {true, true, true, false});
    run.whole.instrumented = samples({1, 1, 1, 1});
    const Budget budget = budget_of(run);
    EXPECT_TRUE(budget.is_disturbed);
    EXPECT_EQ(budget.end_to_end->median, Seconds{3.5}) << "shown, with the delays";
    EXPECT_FALSE(budget.unexplained);
    EXPECT_FALSE(budget.residual);
    EXPECT_TRUE(budget.between) << "the other two agree";
}

}  // namespace
}  // namespace strata
