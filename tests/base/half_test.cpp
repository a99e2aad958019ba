// SPDX-License-Identifier: MIT
#include "base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata {
namespace {

TEST(Half, EveryHalfIsTheHalfOfItsFloat) {
    for (std::uint32_t bits = 0; bits <= 0xFFFF; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = float_of_half(half);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(float_of_half(half_of_float(value))));
        } else {
            EXPECT_EQ(half_of_float(value), half) << value;
        }
    }
}

TEST(Half, ValuesBetweenTwoHalvesGoToTheNearerAndTiesToEven) {
    EXPECT_EQ(half_of_float(1.0F + 0x1p-11F), half_of_float(1.0F));
    EXPECT_EQ(half_of_float(1.0F + 0x3p-11F), half_of_float(1.0F + 0x2p-10F));
    EXPECT_EQ(half_of_float(0x1p-25F), 0);  // half of the smallest: to zero, which is even
    EXPECT_EQ(half_of_float(0x1.8p-25F), 1);
    EXPECT_EQ(half_of_float(-0x1.8p-25F), 0x8001);
    EXPECT_EQ(half_of_float(65519.0F), 0x7BFF);  // the largest
    EXPECT_EQ(half_of_float(65520.0F), 0x7C00);  // infinity
    EXPECT_EQ(half_of_float(-1e30F), 0xFC00);
}

TEST(Half, ABfloat16IsTheUpperHalfOfAFloatRounded) {
    EXPECT_EQ(bfloat16_of_float(1.0F), 0x3F80);
    EXPECT_EQ(bfloat16_of_float(1.0F + 0x1p-8F), 0x3F80);  // a tie
    EXPECT_EQ(bfloat16_of_float(1.0F + 0x3p-8F), 0x3F82);  // a tie
    EXPECT_EQ(bfloat16_of_float(std::numeric_limits<float>::infinity()), 0x7F80);
    EXPECT_TRUE(std::isnan(float_of_bfloat16(bfloat16_of_float(std::nanf("")))));
}

}  // namespace
}  // namespace strata
