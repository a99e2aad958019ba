// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(MatMul, MultipliesTheLastTwoAxesAndBroadcastsTheLeadingOnes) {
    EXPECT_EQ(output_of("matmul(8x64, 64x10)"), "8x10");
    EXPECT_EQ(output_of("matmul(64x8, 10x64) transpose_a=true transpose_b=true"), "8x10");
    EXPECT_EQ(output_of("matmul(5x1x8x64, 7x64x10)"), "5x7x8x10");
    EXPECT_TRUE(contains(refusal_of("matmul(8x64, 63x10)"), "inner extents are 64 and 63"));
    EXPECT_NE(refusal_of("matmul(64, 64x10)"), "");
    EXPECT_NE(refusal_of("matmul(2x8x64, 3x64x10)"), "");
}

TEST(MatMul, TwoActivationsMakeTheDataPassTwoProducts) {
    const double product = 2 * 8 * 64 * 10;
    EXPECT_EQ(flops_of("matmul(8x64, 64x10)", Pass::forward), product);
    EXPECT_EQ(flops_of("matmul(8x64, 64x10)", Pass::backward_data), 2 * product);
    EXPECT_FALSE(has_pass("matmul(8x64, 64x10)", Pass::backward_weights));
}

TEST(MatMul, AParameterMovesItsProductToTheWeightsPass) {
    const auto* text = "matmul(8x64, 64x10:parameter)";
    const double product = 2 * 8 * 64 * 10;
    EXPECT_EQ(flops_of(text, Pass::backward_data), product);
    EXPECT_EQ(flops_of(text, Pass::backward_weights), product);
    // Only the activation receives a gradient, which needs only the other operand.
    EXPECT_EQ(work_of(text, Pass::backward_data).read.value, 4 * (8 * 10 + 64 * 10));
    EXPECT_EQ(work_of(text, Pass::backward_weights).read.value, 4 * (8 * 10 + 8 * 64));
}

constexpr const char* fc6 = "fully_connected(2x256x6x6) out_features=4096";

TEST(FullyConnected, FlattensAllAxesButTheFirst) {
    const auto signature = signature_of(parse_problem(fc6));
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{4096, 9216}));
    EXPECT_EQ(signature.inputs[2].tensor.dims, (Dims{4096}));
    EXPECT_EQ(signature.outputs[0].dims, (Dims{2, 4096}));
}

TEST(FullyConnected, EachOfItsThreePassesIsOneProduct) {
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        EXPECT_EQ(flops_of(fc6, pass), 2 * 75'497'472.0);
    }
}

TEST(FullyConnected, NoOutputsAndTooFewAxesAreRefused) {
    EXPECT_NE(refusal_of("fully_connected(2x9)"), "");
    EXPECT_NE(refusal_of("fully_connected(9) out_features=3"), "");
}

}  // namespace
}  // namespace strata
