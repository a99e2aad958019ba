// SPDX-License-Identifier: MIT
#include "base/quantity.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace strata {
namespace {

TEST(Quantity, OperationsOverARateAreSeconds) {
    static_assert(std::is_same_v<decltype(Flops{} / FlopRate{}), Seconds>);
    EXPECT_DOUBLE_EQ((Flops{6e9} / FlopRate{2e9}).value, 3);
}

TEST(Quantity, RatesAndIntensityAreQuotients) {
    static_assert(std::is_same_v<decltype(Flops{} / Seconds{1}), FlopRate>);
    static_assert(std::is_same_v<decltype(Bytes{} / Seconds{1}), Bandwidth>);
    static_assert(std::is_same_v<decltype(Flops{} / Bytes{1}), Intensity>);
    static_assert(std::is_same_v<decltype(Intensity{} * Bandwidth{}), FlopRate>);
}

TEST(Quantity, ARatioOfLikeQuantitiesIsANumber) {
    static_assert(std::is_same_v<decltype(Seconds{1} / Seconds{2}), double>);
    EXPECT_DOUBLE_EQ(Seconds{1} / Seconds{4}, 0.25);
}

TEST(Quantity, CountsOfLargeNetworksStayExact) {
    const Flops one_step{5'000'000'000'000'001};
    EXPECT_EQ((one_step + Flops{1}).value, 5'000'000'000'000'002);
}

}  // namespace
}  // namespace strata
