// SPDX-License-Identifier: MIT
#include "metric/counting_cost.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(CountingCost, IsReportedBeforeCountingStarts) {
    const CountingCost cost{.counters = 36, .passes = 3, .pieces = 24, .once = Seconds{0.0138}};
    EXPECT_EQ(runs_of(cost), 72u);
    EXPECT_EQ(cost_sentence(cost),
              "counting 36 counters takes 3 passes: 24 distinct steps are run 72 times, at least "
              "41.4 ms of work that takes 13.8 ms unobserved");
}

TEST(CountingCost, SaysNothingOfATimeThatIsNotKnown) {
    EXPECT_EQ(cost_sentence({.counters = 1, .passes = 1, .pieces = 2}),
              "counting 1 counters takes 1 pass: 2 distinct steps are run 2 times");
}

}  // namespace
}  // namespace strata
