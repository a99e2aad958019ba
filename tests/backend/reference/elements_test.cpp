// SPDX-License-Identifier: MIT
#include "backend/inputs.h"
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

#include <cmath>

// Elementwise operators and operators along one axis, checked by hand.

namespace strata::testing {
namespace {

float activated(const Activation& op, float x) {
    return result_of(op, {{1}}, {{x}})[0];
}

TEST(ReferenceActivation, FunctionsHaveTheirTextbookValues) {
    EXPECT_EQ(activated({ActivationKind::relu}, -2), 0);
    EXPECT_EQ(activated({ActivationKind::relu}, 2), 2);
    EXPECT_EQ(activated({ActivationKind::leaky_relu, 0.25}, -2), -0.5F);
    EXPECT_EQ(activated({ActivationKind::clip, 0, 6}, 7), 6);
    EXPECT_FLOAT_EQ(activated({ActivationKind::elu, 2}, -1), 2 * (std::exp(-1.0F) - 1));
    EXPECT_FLOAT_EQ(activated({ActivationKind::sigmoid}, 1), 1 / (1 + std::exp(-1.0F)));
    EXPECT_FLOAT_EQ(activated({ActivationKind::hard_sigmoid, 0.2, 0.5}, 1), 0.7F);
    EXPECT_EQ(activated({ActivationKind::hard_sigmoid, 0.2, 0.5}, 9), 1);
    EXPECT_FLOAT_EQ(activated({ActivationKind::tanh}, 0.5F), std::tanh(0.5F));
    EXPECT_FLOAT_EQ(activated({ActivationKind::softplus}, 0), std::log(2.0F));
}

// Values of the error function and others to nine digits, from tables.
TEST(ReferenceActivation, FunctionsOfTransformersHaveTheirTextbookValues) {
    EXPECT_FLOAT_EQ(activated({ActivationKind::gelu}, 1), 0.841344746F);
    EXPECT_FLOAT_EQ(activated({ActivationKind::gelu}, -2), -0.0455002639F);
    EXPECT_FLOAT_EQ(activated({ActivationKind::gelu_tanh}, 1), 0.841191991F);
    EXPECT_FLOAT_EQ(activated({ActivationKind::silu}, 1), 0.731058579F);
    EXPECT_FLOAT_EQ(activated({ActivationKind::hard_swish}, 1), 2.0F / 3);
    EXPECT_EQ(activated({ActivationKind::hard_swish}, -4), 0);
    EXPECT_EQ(activated({ActivationKind::hard_swish}, 4), 4);
    EXPECT_FLOAT_EQ(activated({ActivationKind::mish}, 1), 0.865098388F);
    EXPECT_FLOAT_EQ(activated({ActivationKind::softsign}, -3), -0.75F);
    EXPECT_FLOAT_EQ(activated({ActivationKind::selu, 2, 3}, -1), 6 * (std::exp(-1.0F) - 1));
    EXPECT_FLOAT_EQ(activated({ActivationKind::selu, 2, 3}, 2), 6);
    EXPECT_FLOAT_EQ(activated({ActivationKind::celu, 2}, -1), 2 * (std::exp(-0.5F) - 1));
    EXPECT_EQ(activated({ActivationKind::thresholded_relu, 1}, 1), 0);
    EXPECT_EQ(activated({ActivationKind::thresholded_relu, 1}, 1.5F), 1.5F);
}

TEST(ReferenceActivation, LargeInputsDoNotOverflow) {
    EXPECT_EQ(activated({ActivationKind::softplus}, 1000), 1000);
    EXPECT_EQ(activated({ActivationKind::softplus}, -1000), 0);
    EXPECT_EQ(activated({ActivationKind::sigmoid}, -1000), 0);
}

TEST(ReferenceActivation, TheSlopeOfReluAtZeroIsZero) {
    ReferenceLayer layer(Activation{}, {{3}});
    layer.inputs[0] = {-1, 0, 1};
    layer.output_gradients[0] = {5, 5, 5};
    layer.backward();
    EXPECT_EQ(layer.input_gradients[0], (HostValues{0, 0, 5}));
}

TEST(ReferenceSoftmax, ProbabilitiesAreExponentialsOverTheirSumAlongTheAxis) {
    const float high = std::exp(1.0F) / (1 + std::exp(1.0F));
    const HostValues y = result_of(Softmax{.axis = 0}, {{2, 2}}, {{0, 5, 1, 5}});
    EXPECT_FLOAT_EQ(y[2], high);
    EXPECT_FLOAT_EQ(y[0], 1 - high);
    EXPECT_FLOAT_EQ(y[1], 0.5F);
    const HostValues logarithm =
        result_of(Softmax{.axis = -1, .logarithm = true}, {{1, 2}}, {{0, 1}});
    EXPECT_FLOAT_EQ(logarithm[1], std::log(high));
}

TEST(ReferenceSoftmax, HugeScoresDoNotOverflow) {
    EXPECT_EQ(result_of(Softmax{}, {{1, 2}}, {{1e30F, -1e30F}}), (HostValues{1, 0}));
}

TEST(ReferenceCrossEntropy, TheLossIsTheMeanOfTheLabelsNegativeLogProbability) {
    ReferenceLayer layer(SoftmaxCrossEntropy{}, {{2, 2}});
    layer.inputs = {{0, 0, 0, std::log(3.0F)}, {0, 1}};
    layer.forward();
    layer.backward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], (std::log(2.0F) + std::log(4.0F / 3)) / 2);
    EXPECT_FLOAT_EQ(layer.input_gradients[0][0], -0.25F);
    EXPECT_FLOAT_EQ(layer.input_gradients[0][1], 0.25F);
    EXPECT_FLOAT_EQ(layer.input_gradients[0][2], 0.125F);
    EXPECT_FLOAT_EQ(layer.input_gradients[0][3], -0.125F);
}

TEST(ReferenceDropout, TrainingScalesByTheSharedMaskAndInferenceCopies) {
    ReferenceLayer layer(Dropout{.probability = 0.5, .seed = 4}, {{50}});
    layer.forward();
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_EQ(layer.outputs[0][i], layer.inputs[0][i] * dropout_scale(4, i, 0.5));
    }
    layer.execution.numerics.mode = Mode::inference;
    layer.forward();
    EXPECT_EQ(layer.outputs[0], layer.inputs[0]);
}

TEST(ReferenceElementwise, OperandsAreBroadcastAsNumPyDoes) {
    EXPECT_EQ(
        result_of(Elementwise{ElementwiseKind::subtract}, {{2, 1}, {3}}, {{10, 20}, {1, 2, 3}}),
        (HostValues{9, 8, 7, 19, 18, 17}));
    EXPECT_EQ(result_of(Elementwise{ElementwiseKind::divide}, {{2}, {}}, {{1, 3}, {2}}),
              (HostValues{0.5F, 1.5F}));
    EXPECT_EQ(
        result_of(Elementwise{ElementwiseKind::maximum}, {{2}, {2}, {2}}, {{1, 2}, {3, 0}, {2, 1}}),
        (HostValues{3, 2}));
}

TEST(ReferenceElementwise, AmongEqualMaximaTheFirstOperandGetsTheGradient) {
    ReferenceLayer layer(Elementwise{ElementwiseKind::maximum}, {{1}, {1}});
    layer.inputs = {{2}, {2}};
    layer.output_gradients = {{5}};
    layer.backward();
    EXPECT_EQ(layer.input_gradients[0], HostValues{5});
    EXPECT_EQ(layer.input_gradients[1], HostValues{0});
}

TEST(ReferenceConcat, OperandsFollowOneAnotherAlongTheAxis) {
    EXPECT_EQ(result_of(Concat{.axis = 1}, {{2, 1}, {2, 2}}, {{1, 2}, {3, 4, 5, 6}}),
              (HostValues{1, 3, 4, 2, 5, 6}));
    EXPECT_EQ(result_of(Concat{.axis = -2}, {{1, 2}, {1, 2}}, {{1, 2}, {3, 4}}),
              (HostValues{1, 2, 3, 4}));
}

TEST(ReferenceTranspose, AxesChangePlaces) {
    EXPECT_EQ(result_of(Transpose{.permutation = {1, 0}}, {{2, 3}}, {{1, 2, 3, 4, 5, 6}}),
              (HostValues{1, 4, 2, 5, 3, 6}));
}

TEST(ReferencePad, AddedElementsAreConstantReflectedOrRepeated) {
    const auto padded = [](PadKind kind) {
        return result_of(Pad{.begin = {2}, .end = {1}, .value = 9, .kind = kind}, {{3}},
                         {{1, 2, 3}});
    };
    EXPECT_EQ(padded(PadKind::constant), (HostValues{9, 9, 1, 2, 3, 9}));
    EXPECT_EQ(padded(PadKind::reflect), (HostValues{3, 2, 1, 2, 3, 2}));
    EXPECT_EQ(padded(PadKind::edge), (HostValues{1, 1, 1, 2, 3, 3}));
}

TEST(ReferencePad, NegativeExtentsCrop) {
    EXPECT_EQ(result_of(Pad{.begin = {-1}, .end = {2}}, {{3}}, {{1, 2, 3}}),
              (HostValues{2, 3, 0, 0}));
}

TEST(ReferenceReshape, KeepsTheOrderOfTheElements) {
    EXPECT_EQ(result_of(Reshape{.dims = {3, 2}}, {{2, 3}}, {{1, 2, 3, 4, 5, 6}}),
              (HostValues{1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace strata::testing
