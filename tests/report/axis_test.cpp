// SPDX-License-Identifier: MIT
#include "report/axis.h"

#include <gtest/gtest.h>

#include <limits>

namespace strata {
namespace {

using Values = std::vector<double>;

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Axis, ALinearAxisHoldsZeroAndALogarithmicOneOnlyPositiveValues) {
    const AxisSpan linear = span_of(Values{3, 12, infinite}, AxisScale::linear);
    EXPECT_EQ(linear.low, 0);
    EXPECT_EQ(linear.high, 12);
    EXPECT_EQ(linear.position(3), 0.25);
    const AxisSpan logarithmic = span_of(Values{-1, 0, 1, 100}, AxisScale::logarithmic);
    EXPECT_EQ(logarithmic.low, 1);
    EXPECT_DOUBLE_EQ(logarithmic.position(10), 0.5);
    EXPECT_FALSE(logarithmic.can_hold(0));
}

TEST(Axis, ASpanIsNeverEmpty) {
    for (const auto scale : {AxisScale::linear, AxisScale::logarithmic}) {
        for (const Values& values : {Values{}, Values{0}, Values{7, 7}, Values{infinite}}) {
            const AxisSpan span = span_of(values, scale);
            EXPECT_LT(span.low, span.high);
        }
    }
}

TEST(Axis, TicksAreRoundAndWithinTheSpan) {
    EXPECT_EQ(ticks_of({.low = 0, .high = 12}, 5), (Values{0, 5, 10}));
    EXPECT_EQ(ticks_of({.low = -3, .high = 9}, 7), (Values{-2, 0, 2, 4, 6, 8}));
    EXPECT_EQ(ticks_of({.low = 1, .high = 64, .scale = AxisScale::logarithmic}, 7),
              (Values{1, 2, 5, 10, 20, 50}));
    EXPECT_EQ(ticks_of({.low = 1, .high = 1e6, .scale = AxisScale::logarithmic}, 4),
              (Values{1, 1e2, 1e4, 1e6}));
}

TEST(Axis, AnAxissOwnTicksAreThinnedEvenlyAndKeptWithinTheSpan) {
    const XyChart::Axis batches{.scale = AxisScale::logarithmic, .ticks = {1, 2, 4, 8, 16, 32, 64}};
    const AxisSpan span{.low = 2, .high = 64, .scale = AxisScale::logarithmic};
    EXPECT_EQ(ticks_of(batches, span, 7), (Values{2, 4, 8, 16, 32, 64}));
    EXPECT_EQ(ticks_of(batches, span, 3), (Values{2, 8, 32}));
    EXPECT_EQ(ticks_of(XyChart::Axis{}, {.low = 0, .high = 12}, 5), (Values{0, 5, 10}));
}

TEST(Axis, TicksOfAnySpanAreFew) {
    for (const double high : {1e-300, 3e-9, 1.0, 7e15, 1e300}) {
        for (const auto scale : {AxisScale::linear, AxisScale::logarithmic}) {
            EXPECT_LE(ticks_of({.low = 1e-301, .high = high, .scale = scale}, 6).size(), 6U);
        }
    }
}

}  // namespace
}  // namespace strata
