// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Elementwise, BroadcastsAsNumPyDoes) {
    EXPECT_EQ(output_of("elementwise(2x1x4, 3x1)"), "2x3x4");
    EXPECT_EQ(output_of("elementwise(2x3, scalar) kind=multiply"), "2x3");
    EXPECT_EQ(output_of("elementwise(5, 5, 5)"), "5");
    EXPECT_TRUE(contains(refusal_of("elementwise(2x3, 2x4)"), "cannot be broadcast"));
}

TEST(Elementwise, ADifferenceHasExactlyTwoOperands) {
    EXPECT_NE(refusal_of("elementwise(5, 5, 5) kind=subtract"), "");
    EXPECT_NE(refusal_of("elementwise(5)"), "");
}

TEST(Elementwise, AGradientOfASumIsFreeButSummingABroadcastIsNot) {
    EXPECT_EQ(flops_of("elementwise(2x8, 2x8)", Pass::forward), 16);
    EXPECT_EQ(flops_of("elementwise(2x8, 2x8)", Pass::backward_data), 0);
    EXPECT_EQ(flops_of("elementwise(2x8, 8)", Pass::backward_data), 8);
    EXPECT_EQ(flops_of("elementwise(2x8, 8:parameter)", Pass::backward_weights), 8);
}

TEST(Elementwise, AProductMultipliesEachGradientByTheOthers) {
    EXPECT_EQ(flops_of("elementwise(2x8, 2x8) kind=multiply", Pass::backward_data), 32);
    const Work work = work_of("elementwise(2x8, 8:parameter) kind=multiply", Pass::backward_data);
    EXPECT_EQ(work.read.value, 4 * (16 + 8));
    EXPECT_EQ(work.written.value, 4 * 16);
}

}  // namespace
}  // namespace strata
