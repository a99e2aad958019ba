// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

// Operators that move elements: their shapes, and the absence of arithmetic.

namespace strata {
namespace {

TEST(Gather, PutsTheAxesOfTheIndicesInThePlaceOfTheirAxis) {
    EXPECT_EQ(output_of("gather(10x8, 2x3:s64)"), "2x3x8");
    EXPECT_EQ(output_of("gather(10x8x4, 5:s32) axis=1"), "10x5x4");
    EXPECT_EQ(output_of("gather(10x8, scalar:s64) axis=-1"), "10");
    EXPECT_TRUE(contains(refusal_of("gather(10x8, 2x3)"), "cast them to s64"));
    EXPECT_NE(refusal_of("gather(10x8, 3:s64) axis=2"), "");
    EXPECT_NE(refusal_of("gather(scalar, 3:s64)"), "");
}

TEST(Gather, AddsGradientsBackAndReadsOnlyTheIndicesForThat) {
    EXPECT_EQ(flops_of("gather(10x8, 3:s64)", Pass::forward), 0);
    EXPECT_EQ(flops_of("gather(10x8, 3:s64)", Pass::backward_data), 24);
    EXPECT_EQ(flops_of("gather(10x8:parameter, 3:s64)", Pass::backward_weights), 24);
    const Work work = work_of("gather(10x8, 3:s64)", Pass::backward_data);
    EXPECT_EQ(work.read.value, 4 * 24 + 8 * 3);
    EXPECT_EQ(work.written.value, 4 * 80);
    EXPECT_FALSE(has_pass("gather(10x8:parameter, 3:s64)", Pass::backward_data));
}

TEST(Slice, TakesEveryStepThElementOfAnExtent) {
    EXPECT_EQ(output_of("slice(4x10) axes=1 starts=2 extents=3"), "4x3");
    EXPECT_EQ(output_of("slice(4x10) axes=-1 starts=1 extents=5 steps=2"), "4x5");
    EXPECT_EQ(output_of("slice(4x10) axes=1x0 starts=9x0 extents=10x1 steps=-1x1"), "1x10");
    EXPECT_EQ(output_of("slice(4x10)"), "4x10");
}

TEST(Slice, MayNotLeaveItsAxis) {
    for (const auto* text :
         {"slice(4x10) axes=1 starts=8 extents=3", "slice(4x10) axes=1 starts=-1 extents=3",
          "slice(4x10) axes=1 starts=2 extents=4 steps=-1", "slice(4x10) axes=1 starts=0 extents=0",
          "slice(4x10) axes=1 starts=0 extents=2 steps=0", "slice(4x10) axes=2 starts=0 extents=1",
          "slice(4x10) axes=1 starts=0", "slice(4x10) axes=1x1 starts=0x0 extents=1x1",
          "slice(4x10) axes=1 starts=0 extents=9 steps=9223372036854775807",
          "slice(4x10) axes=1 starts=9223372036854775807 extents=1"}) {
        EXPECT_NE(refusal_of(text), "") << text;
    }
}

TEST(Slice, IsACopy) {
    const auto* text = "slice(4x10) axes=1 starts=2 extents=3";
    EXPECT_EQ(flops_of(text, Pass::forward), 0);
    EXPECT_EQ(flops_of(text, Pass::backward_data), 0);
    EXPECT_EQ(work_of(text, Pass::forward).written.value, 4 * 12);
}

TEST(Expand, RepeatsAxesOfExtentOneAndNewLeadingOnes) {
    EXPECT_EQ(output_of("expand(3x1) dims=2x3x4"), "2x3x4");
    EXPECT_EQ(output_of("expand(scalar) dims=2x3"), "2x3");
    EXPECT_TRUE(contains(refusal_of("expand(3x2) dims=3x4"), "cannot be broadcast"));
    EXPECT_TRUE(contains(refusal_of("expand(3x2) dims=1x2"), "cannot be repeated"));
    EXPECT_NE(refusal_of("expand(2x3x4) dims=3x4"), "");
}

TEST(Expand, SumsTheGradientsOfTheCopies) {
    EXPECT_EQ(flops_of("expand(3x1) dims=2x3x4", Pass::forward), 0);
    EXPECT_EQ(flops_of("expand(3x1) dims=2x3x4", Pass::backward_data), 24 - 3);
    EXPECT_EQ(flops_of("expand(3x1:parameter) dims=2x3x4", Pass::backward_weights), 24 - 3);
}

TEST(Cast, ChangesOnlyTheType) {
    const Signature signature = signature_of(parse_problem("cast(2x3) dtype=s64"));
    EXPECT_EQ(signature.outputs[0], (Tensor{{2, 3}, DataType::s64}));
    EXPECT_EQ(work_of("cast(2x3) dtype=s64", Pass::forward).read.value, 4 * 6);
    EXPECT_EQ(work_of("cast(2x3) dtype=s64", Pass::forward).written.value, 8 * 6);
    EXPECT_FALSE(has_pass("cast(2x3:s64)", Pass::backward_data));
    EXPECT_TRUE(has_pass("cast(2x3) dtype=bf16", Pass::backward_data));
}

TEST(Hardmax, KeepsTheShapeAndComparesEveryElement) {
    EXPECT_EQ(output_of("hardmax(2x10x3) axis=1"), "2x10x3");
    EXPECT_NE(refusal_of("hardmax(2x10) axis=2"), "");
    EXPECT_NE(refusal_of("hardmax(scalar)"), "");
    EXPECT_EQ(flops_of("hardmax(2x10)", Pass::forward), 20);
    EXPECT_EQ(flops_of("hardmax(2x10)", Pass::backward_data), 0);
}

TEST(TopK, GivesTheChosenAndTheirPositions) {
    const Signature signature = signature_of(parse_problem("top_k(2x10) k=3"));
    ASSERT_EQ(signature.outputs.size(), 2U);
    EXPECT_EQ(signature.outputs[0], (Tensor{{2, 3}, DataType::f32}));
    EXPECT_EQ(signature.outputs[1], (Tensor{{2, 3}, DataType::s64}));
    EXPECT_EQ(output_of("top_k(2x10) k=2 axis=0"), "2x10");
    EXPECT_NE(refusal_of("top_k(2x10) k=11"), "");
    EXPECT_NE(refusal_of("top_k(2x10) k=0"), "");
    EXPECT_NE(refusal_of("top_k(scalar)"), "");
    EXPECT_EQ(flops_of("top_k(2x10) k=3", Pass::forward), 20);
}

}  // namespace
}  // namespace strata
