// SPDX-License-Identifier: MIT
#include "analyze/cost.h"

#include "tests/support/observation.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::observed;

PlatformCost of_platform(const Observation& run) {
    if (run.backend == "unknown") {
        return {};
    }
    return {.price = DollarsPerHour{run.backend == "dear" ? 3.6 : 0.36}, .power = Watts{100}};
}

std::vector<RunCost> costs(const std::vector<Observation>& runs) {
    std::vector<const Observation*> pointers;
    for (const Observation& run : runs) {
        pointers.push_back(&run);
    }
    return costs_of(pointers, of_platform);
}

TEST(Cost, MoneyAndEnergyOfAMillionExamplesFollowFromTheirTime) {
    const std::vector<Observation> runs = {observed("dear", 1, 8, 1000, 1)};
    const RunCost cost = costs(runs).at(0);
    EXPECT_DOUBLE_EQ(*cost.dollars, 1);       // 1,000 s at 3.6 an hour
    EXPECT_DOUBLE_EQ(*cost.joules, 100'000);  // 1,000 s of 100 W
    EXPECT_DOUBLE_EQ(*cost.examples_per_dollar(), 1e6);
    EXPECT_DOUBLE_EQ(*cost.examples_per_joule(), 10);
}

TEST(Cost, TheFrontHasTheRunsThatNothingBeatsInBothSpeedAndPrice) {
    const std::vector<Observation> runs = {
        observed("dear", 1, 8, 1000, 1),   // the fastest
        observed("cheap", 1, 8, 1000, 2),  // the cheapest
        observed("dear", 1, 8, 1000, 3),   // slower than both, and dearer
        observed("unknown", 1, 8, 1000, 0.1),
        observed("dear", 1, 16, 1000, 9)};  // the only one of its network
    const auto found = costs(runs);
    EXPECT_EQ(found[0].is_on_front, true);
    EXPECT_EQ(found[1].is_on_front, true);
    EXPECT_EQ(found[2].is_on_front, false);
    EXPECT_EQ(found[3].is_on_front, std::nullopt);
    EXPECT_EQ(found[3].dollars, std::nullopt);  // unknown is not free
    EXPECT_EQ(found[4].is_on_front, true);
}

TEST(Cost, OneOfTwoEqualRunsIsOnTheFront) {
    const std::vector<Observation> runs = {observed("dear", 1, 8, 10, 1),
                                           observed("dear", 1, 8, 10, 1)};
    const auto found = costs(runs);
    EXPECT_NE(found[0].is_on_front, found[1].is_on_front);
}

}  // namespace
}  // namespace strata
