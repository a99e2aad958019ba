// SPDX-License-Identifier: MIT
#include "tests/op/support.h"

namespace strata {
namespace {

TEST(Convolution, PaddingStrideDilationAndGroupsDetermineTheShape) {
    EXPECT_EQ(output_of("convolution(1x3x227x227) out_channels=96 kernel=11x11 stride=4x4"),
              "1x96x55x55");
    EXPECT_EQ(
        output_of("convolution(1x8x10x10) out_channels=4 kernel=3x3 pad_begin=1x0 pad_end=2x0"),
        "1x4x11x8");
    EXPECT_EQ(output_of("convolution(1x8x10x12) out_channels=4 kernel=3x3 stride=2x3 dilation=2x1"),
              "1x4x3x4");
    EXPECT_EQ(output_of("convolution(2x4x9) out_channels=6 kernel=3"), "2x6x7");
    EXPECT_EQ(output_of("convolution(2x4x9x9x9) out_channels=6 kernel=3x1x1"), "2x6x7x9x9");
}

TEST(Convolution, AGroupSeesOnlyItsShareOfTheInputChannels) {
    const auto signature = signature_of(
        parse_problem("convolution(1x8x5x5) out_channels=12 kernel=3x3 groups=4 bias=false"));
    ASSERT_EQ(signature.inputs.size(), 2u);
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{12, 2, 3, 3}));
}

TEST(Convolution, EachOfItsThreePassesCostsTheNominalCount) {
    const auto* conv2 =
        "convolution(1x96x27x27) out_channels=256 kernel=5x5 pad_begin=2x2 pad_end=2x2";
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        EXPECT_EQ(flops_of(conv2, pass), 2.0 * 25 * 96 * 27 * 27 * 256);
    }
    EXPECT_EQ(flops_of(conv2, Pass::update), 4.0 * (25 * 96 * 256 + 256));
    EXPECT_EQ(work_of(conv2, Pass::backward_weights).operations.bias_adds, 256 * 27 * 27);
}

TEST(Convolution, GroupsDivideTheWork) {
    const auto work = [](const std::string& groups) {
        return flops_of("convolution(2x8x9x9) out_channels=8 kernel=3x3 groups=" + groups,
                        Pass::forward);
    };
    EXPECT_EQ(work("1"), 8 * work("8"));
}

TEST(Convolution, TrafficReadsAndWritesEachOperandOnce) {
    const auto* text = "convolution(2x3x8x8) out_channels=4 kernel=3x3";
    const double x = 4 * 2 * 3 * 8 * 8, y = 4 * 2 * 4 * 6 * 6, weight = 4 * 4 * 3 * 9, bias = 4 * 4;
    const auto traffic = [&](Pass pass) {
        const Work work = work_of(text, pass);
        return std::pair(work.read.value, work.written.value);
    };
    EXPECT_EQ(traffic(Pass::forward), std::pair(x + weight + bias, y));
    EXPECT_EQ(traffic(Pass::backward_data), std::pair(y + weight, x));
    EXPECT_EQ(traffic(Pass::backward_weights), std::pair(y + x, weight + bias));
    EXPECT_EQ(traffic(Pass::update), std::pair(3 * (weight + bias), 2 * (weight + bias)));
}

TEST(Convolution, MisfitsAreRefusedInASentenceThatNamesThem) {
    EXPECT_TRUE(contains(refusal_of("convolution(1x3x5x5) out_channels=8 kernel=11x11"),
                         "kernel 11x11 with dilation 1x1 does not fit input 5x5"));
    EXPECT_TRUE(contains(refusal_of("convolution(1x3x5x5) out_channels=8"), "has no kernel"));
    EXPECT_TRUE(contains(refusal_of("convolution(1x3x5x5) kernel=3x3"), "out_channels is 0"));
    EXPECT_TRUE(contains(refusal_of("convolution(1x3) out_channels=8 kernel=3"), "axes"));
    EXPECT_TRUE(contains(refusal_of("convolution(1x3x5x5) out_channels=8 kernel=3"),
                         "kernel 3 has 1 axes"));
    EXPECT_TRUE(contains(refusal_of("convolution(1x3x5x5) out_channels=8 kernel=3x3 groups=2"),
                         "groups 2 must divide"));
}

TEST(Convolution, HostileAttributesAreRefusedBeforeTheyReachArithmetic) {
    const std::string problem = "convolution(1x4x9x9) out_channels=4 kernel=3x3 ";
    for (const auto* attribute :
         {"stride=0x0", "stride=-1x1", "dilation=0x1", "pad_begin=-1x0", "groups=0", "groups=-4",
          "dilation=9223372036854775807x1", "pad_end=9223372036854775807x0"}) {
        EXPECT_NE(refusal_of(problem + attribute), "") << attribute;
    }
    EXPECT_NE(refusal_of("convolution(1x4x9x9) out_channels=9223372036854775807 kernel=1x1"), "");
    EXPECT_NE(refusal_of("convolution(1x0x9x9) out_channels=4 kernel=1x1"), "");
    EXPECT_NE(refusal_of("convolution(1x1048576x1048576x1048576) out_channels=4 kernel=1x1"), "");
}

TEST(TransposedConvolution, DoublesAPlaneAndAddsTheOutputPad) {
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

TEST(TransposedConvolution, MisfitsAreRefused) {
    const std::string op = "transposed_convolution(1x6x5x5) out_channels=4 ";
    EXPECT_NE(refusal_of(op + "kernel=2x2 groups=4"), "");
    EXPECT_NE(refusal_of(op), "");
    EXPECT_TRUE(contains(refusal_of(op + "kernel=2x2 output_pad=1x1"), "output_pad"));
    EXPECT_NE(refusal_of(op + "kernel=2x2 pad_begin=9x9"), "");
}

}  // namespace
}  // namespace strata
