// SPDX-License-Identifier: MIT
#include "metric/counting_cost.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(CountingCost, IsToldBeforeCountingStarts) {
    const CountingCost cost{.counters = 36, .passes = 3, .steps = 24, .iteration = Seconds{0.0138}};
    EXPECT_EQ(cost_sentence(cost),
              "counting 36 counters of 24 steps takes 3 iterations, at least 41.4 ms (13.8 ms "
              "each unobserved)");
}

TEST(CountingCost, SaysNothingOfATimeThatIsNotKnown) {
    EXPECT_EQ(cost_sentence({.counters = 1, .passes = 1, .steps = 2}),
              "counting 1 counters of 2 steps takes 1 iteration");
}

}  // namespace
}  // namespace strata
