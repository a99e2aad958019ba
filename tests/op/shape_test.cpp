// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Concat, AddsExtentsAlongItsAxisAndNeedsTheOthersEqual) {
    EXPECT_EQ(output_of("concat(1x64x28x28, 1x128x28x28, 1x32x28x28)"), "1x224x28x28");
    EXPECT_EQ(output_of("concat(1x2, 1x3) axis=-1"), "1x5");
    EXPECT_TRUE(contains(refusal_of("concat(1x64x28x28, 1x64x27x28)"), "differ outside axis 1"));
    EXPECT_NE(refusal_of("concat(1x64, 1x64x1)"), "");
    EXPECT_NE(refusal_of("concat(1x2) axis=2"), "");
    EXPECT_NE(refusal_of("concat(500000000000000000, 500000000000000000) axis=0"), "");
}

TEST(Reshape, CopiesExtentsAndInfersTheOpenOne) {
    EXPECT_EQ(output_of("reshape(2x256x6x6) dims=0x-1"), "2x9216");
    EXPECT_EQ(output_of("reshape(2x3x4) dims=4x0x-1"), "4x3x2");
    EXPECT_EQ(output_of("reshape(1x1) dims=scalar"), "scalar");
}

TEST(Reshape, NeverChangesTheNumberOfElements) {
    for (const auto* dims : {"5", "-1x-1", "-1x5", "-2x-12", "0x0x0x0", "0x-1x0x0"}) {
        EXPECT_TRUE(contains(refusal_of(std::string("reshape(2x3x4) dims=") + dims), "reshape"))
            << dims;
    }
}

TEST(Reshape, MovesNoData) {
    for (const Pass pass : all_passes) {
        EXPECT_EQ(work_of("reshape(2x3x4) dims=0x-1", pass), Work{});
    }
}

TEST(Transpose, PermutesTheAxes) {
    EXPECT_EQ(output_of("transpose(2x3x4) permutation=2x0x1"), "4x2x3");
    EXPECT_NE(refusal_of("transpose(2x3x4) permutation=0x1"), "");
    EXPECT_NE(refusal_of("transpose(2x3x4) permutation=0x1x1"), "");
    EXPECT_NE(refusal_of("transpose(2x3x4) permutation=0x1x3"), "");
}

TEST(Pad, AddsAndCropsOnEachSide) {
    EXPECT_EQ(output_of("pad(1x2x5x5) begin=0x0x1x2 end=0x0x0x-1"), "1x2x6x6");
    EXPECT_NE(refusal_of("pad(1x2x5x5) begin=1x1 end=1x1"), "");
    EXPECT_NE(refusal_of("pad(5) begin=-3 end=-2"), "");
    EXPECT_NE(refusal_of("pad(5) begin=9223372036854775807 end=9223372036854775807"), "");
}

TEST(Pad, AReflectionIsShorterThanItsAxis) {
    EXPECT_EQ(output_of("pad(5) begin=4 end=4 kind=reflect"), "13");
    EXPECT_NE(refusal_of("pad(5) begin=5 end=0 kind=reflect"), "");
}

TEST(Dropout, AProbabilityOfOneWouldDivideByZero) {
    EXPECT_EQ(output_of("dropout(2x3) probability=0"), "2x3");
    EXPECT_NE(refusal_of("dropout(2x3) probability=1"), "");
    EXPECT_NE(refusal_of("dropout(2x3) probability=-0.1"), "");
}

}  // namespace
}  // namespace strata
