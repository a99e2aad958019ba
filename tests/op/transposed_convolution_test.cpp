// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(TransposedConvolution, DoublesAPlaneAndKeepsRoomForWhatAStrideHides) {
    const std::string doubling = "transposed_convolution(1x64x28x28) out_channels=32 ";
    EXPECT_EQ(output_of(doubling + "kernel=2x2 stride=2x2"), "1x32x56x56");
    EXPECT_EQ(output_of(doubling + "kernel=3x3 stride=2x2 pad_begin=1x1 pad_end=1x1"),
              "1x32x55x55");
    EXPECT_EQ(
        output_of(doubling + "kernel=3x3 stride=2x2 pad_begin=1x1 pad_end=1x1 output_pad=1x1"),
        "1x32x56x56");
}

TEST(TransposedConvolution, ItsOutputsAreTheInputsOfTheConvolutionWithItsWindow) {
    const std::string window = "kernel=5x3 stride=3x2 dilation=1x2 pad_begin=2x0 pad_end=1x3";
    const std::string y = output_of("transposed_convolution(2x8x6x5) out_channels=4 " + window);
    EXPECT_EQ(output_of("convolution(" + y + ") out_channels=8 " + window), "2x8x6x5");
}

TEST(TransposedConvolution, EveryPassMultipliesEachInputByEachTap) {
    const std::string op = "transposed_convolution(2x8x6x5) out_channels=4 kernel=3x2 groups=2";
    const double products = 2.0 * 8 * 6 * 5 * (2 * 3 * 2);
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        EXPECT_EQ(work_of(op, pass).operations.multiply_adds, products);
    }
    EXPECT_EQ(work_of(op, Pass::forward).operations.bias_adds, 2 * 4 * 8 * 6);
}

TEST(TransposedConvolution, WhatDoesNotFitIsRefused) {
    const std::string op = "transposed_convolution(1x6x5x5) out_channels=4 ";
    EXPECT_NE(refusal_of(op + "kernel=2x2 groups=4"), "");
    EXPECT_NE(refusal_of(op), "");
    EXPECT_TRUE(contains(refusal_of(op + "kernel=2x2 output_pad=1x1"), "output_pad"));
    EXPECT_NE(refusal_of(op + "kernel=2x2 pad_begin=9x9"), "");
}

}  // namespace
}  // namespace strata
