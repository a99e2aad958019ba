// SPDX-License-Identifier: MIT
#include "run/tuning_budget.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr TuningCosts costs = {
    .step = Seconds{2}, .preparation = Seconds{3}, .checks = {}, .checked = {}};

TEST(TuningBudget, ATrialCostsAPreparationAndTheDecidingRounds) {
    EXPECT_DOUBLE_EQ(costs.trial(1).value, 3 + rounds_to_decide * 2 * 2.0);
    EXPECT_DOUBLE_EQ(costs.trial(3).value, 3 + rounds_to_decide * 4 * 2.0);
}

TEST(TuningBudget, TheReserveCoversTheErrorsAndTheNetworkWithAllChoices) {
    EXPECT_DOUBLE_EQ(costs.confirmation().value, 3 + rounds_to_confirm * 2 * 2.0);
    EXPECT_DOUBLE_EQ(costs.end().value, costs.confirmation().value + 3);
}

TEST(TuningBudget, ACheckIsEstimatedFromEarlierOnes) {
    EXPECT_DOUBLE_EQ(costs.check(Seconds{1}).value, 1.5) << "half a network";
    TuningCosts later = costs;
    later.checks = Seconds{8};
    later.checked = Seconds{0.5};
    EXPECT_DOUBLE_EQ(later.check(Seconds{0.25}).value, 4);
    EXPECT_DOUBLE_EQ(TuningCosts().check(Seconds{1}).value, 0);
}

TEST(TuningBudget, ARoundThatWouldEndTooLateIsNotTaken) {
    EXPECT_EQ(rounds_that_fit(Seconds{2}, Seconds{7}, 10), 3U);
    EXPECT_EQ(rounds_that_fit(Seconds{2}, Seconds{4}, 10), 2U);
    EXPECT_EQ(rounds_that_fit(Seconds{2}, Seconds{700}, 10), 10U);
    EXPECT_EQ(rounds_that_fit(Seconds{2}, Seconds{1.9}, 10), 0U);
    EXPECT_EQ(rounds_that_fit(Seconds{2}, Seconds{-1}, 10), 0U);
    EXPECT_EQ(rounds_that_fit(Seconds{0}, Seconds{1}, 10), 10U);
}

}  // namespace
}  // namespace strata
