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

TEST(Activation, ReluIsOneComparePerElementInBothDirections) {
    const Work forward = work_of("activation(1x96x55x55)", Pass::forward);
    EXPECT_EQ(forward.operations.compares, 290'400);
    EXPECT_EQ(work_of("activation(1x96x55x55)", Pass::backward_data).operations.compares, 290'400);
    EXPECT_FALSE(has_pass("activation(1x96x55x55)", Pass::backward_weights));
}

TEST(Activation, KeepsItsOutputIfTheDerivativeIsAFunctionOfIt) {
    for (const auto* op : {"activation", "activation kind=tanh", "activation kind=sigmoid",
                           "activation kind=clip beta=6", "activation kind=elu alpha=1",
                           "activation kind=leaky_relu alpha=0.1"}) {
        EXPECT_TRUE(reads_of(parse_op(op)).output_for_data) << op;
        EXPECT_FALSE(reads_of(parse_op(op)).input_for_data) << op;
    }
}

TEST(Activation, KeepsItsInputIfTheOutputDoesNotDetermineItsSign) {
    for (const auto* op : {"activation kind=leaky_relu alpha=-0.1", "activation kind=softplus",
                           "activation kind=hard_sigmoid alpha=0.2 beta=0.5"}) {
        EXPECT_TRUE(reads_of(parse_op(op)).input_for_data) << op;
        EXPECT_FALSE(reads_of(parse_op(op)).output_for_data) << op;
    }
}

TEST(Activation, ASigmoidCountsItsExponentialSumAndQuotient) {
    EXPECT_EQ(flops_of("activation(10) kind=sigmoid", Pass::forward), 30);
    EXPECT_EQ(flops_of("activation(10) kind=sigmoid", Pass::backward_data), 30);
}

TEST(Softmax, CostsFiveOperationsPerElement) {
    EXPECT_EQ(flops_of("softmax(4x1000)", Pass::forward), 5 * 4000);
    EXPECT_EQ(flops_of("softmax(4x1000)", Pass::backward_data), 4 * 4000);
}

TEST(Softmax, ItsLogarithmTakesOneMoreLogarithmPerRow) {
    const auto work = work_of("softmax(4x1000) logarithm=true", Pass::forward);
    EXPECT_EQ(work.operations.transcendentals, 4000 + 4);
}

TEST(Softmax, AnAxisMayCountFromTheEndButMustExist) {
    EXPECT_EQ(output_of("softmax(4x1000) axis=-1"), "4x1000");
    EXPECT_TRUE(contains(refusal_of("softmax(4x1000) axis=2"), "axis 2"));
    EXPECT_NE(refusal_of("softmax(4x1000) axis=-3"), "");
}

TEST(CrossEntropy, GivesAScalarAndRequestsOneLabelPerImage) {
    const auto signature = signature_of(parse_problem("softmax_cross_entropy(4x1000)"));
    EXPECT_EQ(signature.outputs[0].dims, Dims{});
    EXPECT_EQ(signature.inputs[1].tensor.dims, (Dims{4}));
    EXPECT_EQ(signature.inputs[1].role, Role::label);
}

TEST(CrossEntropy, LabelsMayBeGivenAndReceiveNoGradient) {
    const auto* text = "softmax_cross_entropy(4x10, 4:s32:label)";
    EXPECT_EQ(output_of(text), "scalar");
    EXPECT_EQ(work_of(text, Pass::backward_data).written.value, 4 * 40);
    EXPECT_NE(refusal_of("softmax_cross_entropy(4x10, 5:s32:label)"), "");
    EXPECT_NE(refusal_of("softmax_cross_entropy(4x10x2, 4:s32:label)"), "");
}

}  // namespace
}  // namespace strata
