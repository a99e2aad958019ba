// SPDX-License-Identifier: MIT
#include "metric/stalls.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

EvaluatedMetric part(StallCategory category, MetricValue value) {
    return {.metric = {.stall = category}, .value = std::move(value)};
}

MetricValue sync_of(const std::vector<EvaluatedMetric>& metrics) {
    return stalls_by_category(metrics).at(static_cast<std::size_t>(StallCategory::sync));
}

constexpr auto sync = StallCategory::sync;
const NoValue absent{"the chip has none", Absence::not_on_chip};
const NoValue uncounted{"denied", Absence::not_counted};

TEST(Stalls, ACategoryIsTheSumOfItsParts) {
    EXPECT_EQ(sync_of({part(sync, 10.0), part(sync, 5.0), part(StallCategory::other, 7.0)}),
              MetricValue(15.0));
}

TEST(Stalls, APartThatTheChipLacksAddsNothing) {
    EXPECT_EQ(sync_of({part(sync, absent), part(sync, 5.0)}), MetricValue(5.0));
    EXPECT_EQ(sync_of({part(sync, 5.0), part(sync, absent)}), MetricValue(5.0));
}

TEST(Stalls, APartThatWasNotCountedLeavesTheCategoryWithoutAValue) {
    EXPECT_EQ(sync_of({part(sync, uncounted), part(sync, 5.0)}), MetricValue(uncounted));
    EXPECT_EQ(sync_of({part(sync, 5.0), part(sync, uncounted)}), MetricValue(uncounted));
    EXPECT_EQ(sync_of({part(sync, absent), part(sync, uncounted)}), MetricValue(uncounted));
}

TEST(Stalls, ACategoryWithoutAnyPartIsMissingAndNotZero) {
    EXPECT_EQ(sync_of({part(sync, absent)}), MetricValue(absent));
    EXPECT_TRUE(std::holds_alternative<NoValue>(sync_of({})));
}

}  // namespace
}  // namespace strata
