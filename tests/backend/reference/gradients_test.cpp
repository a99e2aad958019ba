// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

// Every backward pass against central differences of its own forward pass.

namespace strata::testing {
namespace {

void expect_gradients(const Op& op, const std::vector<Dims>& activations) {
    expect_gradients_match_differences(ReferenceLayer(op, activations));
}

TEST(ReferenceGradients, OfConvolutionsMatchDifferences) {
    expect_gradients(Convolution{.out_channels = 2, .kernel = {3, 3}}, {{2, 3, 5, 4}});
    expect_gradients(Convolution{.out_channels = 4,
                                 .kernel = {3, 2},
                                 .stride = {2, 3},
                                 .dilation = {2, 1},
                                 .pad_begin = {1, 0},
                                 .pad_end = {2, 1},
                                 .groups = 2,
                                 .bias = false},
                     {{1, 4, 6, 7}});
    expect_gradients(Convolution{.out_channels = 3, .kernel = {4}, .pad_end = {3}}, {{2, 2, 6}});
    expect_gradients(
        Convolution{.out_channels = 2, .kernel = {2, 1, 3}, .pad_begin = {1, 0, 1}, .groups = 2},
        {{1, 2, 2, 3, 3}});
}

TEST(ReferenceGradients, OfTransposedConvolutionsMatchDifferences) {
    expect_gradients(TransposedConvolution{.out_channels = 2, .kernel = {3, 3}}, {{2, 3, 3, 2}});
    expect_gradients(TransposedConvolution{.out_channels = 4,
                                           .kernel = {3, 2},
                                           .stride = {2, 3},
                                           .dilation = {2, 1},
                                           .pad_begin = {1, 0},
                                           .pad_end = {2, 1},
                                           .output_pad = {1, 2},
                                           .groups = 2,
                                           .bias = false},
                     {{1, 4, 3, 3}});
    expect_gradients(TransposedConvolution{.out_channels = 3, .kernel = {4}, .stride = {3}},
                     {{2, 2, 4}});
    expect_gradients(
        TransposedConvolution{.out_channels = 2, .kernel = {2, 1, 3}, .stride = {1, 2, 2}},
        {{1, 2, 2, 2, 2}});
}

TEST(ReferenceGradients, OfResizesMatchDifferences) {
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
        for (const Coordinates coordinates :
             {Coordinates::half_pixel, Coordinates::pytorch_half_pixel, Coordinates::asymmetric,
              Coordinates::align_corners}) {
            const Resize op = {.interpolation = interpolation, .coordinates = coordinates};
            for (const Dims& sizes : {Dims{5, 3}, Dims{2, 7}}) {
                Resize sized = op;
                sized.sizes = sizes;
                expect_gradients(sized, {{1, 2, 3, 4}});
            }
        }
    }
    expect_gradients(Resize{.sizes = {5}, .interpolation = Interpolation::linear}, {{2, 1, 3}});
    expect_gradients(Resize{.sizes = {2, 3, 3}, .interpolation = Interpolation::linear},
                     {{1, 1, 2, 2, 2}});
}

TEST(ReferenceGradients, OfFullyConnectedLayersMatchDifferences) {
    expect_gradients(FullyConnected{.out_features = 5}, {{3, 2, 2}});
    expect_gradients(FullyConnected{.out_features = 20, .bias = false}, {{2, 7}});
}

TEST(ReferenceGradients, OfMatrixProductsMatchDifferences) {
    expect_gradients(MatMul{}, {{2, 3, 4}, {2, 4, 5}});
    expect_gradients(MatMul{.transpose_a = true}, {{4, 3}, {4, 5}});
    expect_gradients(MatMul{.transpose_b = true}, {{2, 1, 3, 4}, {5, 6, 4}});
    expect_gradients(MatMul{.transpose_a = true, .transpose_b = true}, {{3, 4, 2}, {1, 5, 4}});
}

TEST(ReferenceGradients, OfPoolingMatchDifferences) {
    for (const PoolingKind kind : {PoolingKind::max, PoolingKind::average}) {
        expect_gradients(Pooling{.kind = kind, .kernel = {2, 2}, .stride = {2, 2}}, {{1, 1, 4, 6}});
        expect_gradients(Pooling{.kind = kind,
                                 .kernel = {3, 3},
                                 .stride = {2, 2},
                                 .pad_begin = {1, 1},
                                 .pad_end = {1, 1},
                                 .ceil_mode = true,
                                 .count_include_pad = true},
                         {{1, 1, 4, 6}});
        expect_gradients(Pooling{.kind = kind, .kernel = {2}, .dilation = {2}}, {{2, 2, 5}});
        expect_gradients(Pooling{.kind = kind, .global = true}, {{2, 2, 2, 3}});
    }
}

TEST(ReferenceGradients, OfLocalResponseNormalizationMatchDifferences) {
    expect_gradients(Lrn{.size = 3, .alpha = 0.9, .beta = 0.75, .k = 2}, {{2, 5, 2}});
    expect_gradients(Lrn{.size = 4, .alpha = 0.5, .beta = 0.5, .k = 1}, {{1, 6, 2}});
}

TEST(ReferenceGradients, OfBatchNormalizationMatchDifferences) {
    expect_gradients(BatchNormalization{}, {{3, 2, 2, 2}});
    expect_gradients(BatchNormalization{.scope = NormalizationScope::per_activation}, {{5, 2, 2}});
    expect_gradients(BatchNormalization{}, {{6, 3}});
}

TEST(ReferenceGradients, OfLayerNormalizationMatchDifferences) {
    expect_gradients(LayerNormalization{}, {{3, 2, 5}});
    expect_gradients(LayerNormalization{.axis = 1, .shift = false}, {{2, 3, 4}});
    expect_gradients(LayerNormalization{.scale = false}, {{4, 6}});
    expect_gradients(
        LayerNormalization{.kind = NormalizationKind::root_mean_square, .shift = false},
        {{2, 3, 5}});
}

TEST(ReferenceGradients, OfGroupNormalizationMatchDifferences) {
    expect_gradients(GroupNormalization{.groups = 2}, {{2, 4, 3}});
    expect_gradients(GroupNormalization{}, {{2, 3, 2, 3}});
    expect_gradients(GroupNormalization{.groups = 1, .affine = false}, {{2, 4, 2}});
}

TEST(ReferenceGradients, OfAttentionMatchDifferences) {
    expect_gradients(Attention{.heads = 2}, {{2, 3, 4}, {2, 3, 4}, {2, 3, 6}});
    expect_gradients(Attention{.heads = 2, .causal = true, .scale = 1.5},
                     {{1, 4, 4}, {1, 4, 4}, {1, 4, 4}});
    expect_gradients(Attention{.heads = 4, .kv_heads = 2, .causal = true},
                     {{2, 2, 8}, {2, 4, 4}, {2, 4, 6}});
    expect_gradients(Attention{}, {{2, 4, 2, 3}, {2, 2, 4, 3}, {2, 2, 4, 2}});
}

TEST(ReferenceGradients, OfAttentionWithAMaskMatchDifferences) {
    expect_gradients(Attention{.heads = 2}, {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {3, 3}});
    expect_gradients(Attention{.heads = 2}, {{2, 3, 4}, {2, 5, 4}, {2, 5, 4}, {2, 1, 1, 5}});
}

TEST(ReferenceGradients, OfActivationsMatchDifferences) {
    for (const Activation& op :
         {Activation{ActivationKind::relu}, Activation{ActivationKind::leaky_relu, 0.1},
          Activation{ActivationKind::clip, -0.5, 0.5}, Activation{ActivationKind::elu, 1.5},
          Activation{ActivationKind::sigmoid}, Activation{ActivationKind::hard_sigmoid, 0.4, 0.5},
          Activation{ActivationKind::tanh}, Activation{ActivationKind::softplus},
          Activation{ActivationKind::gelu}, Activation{ActivationKind::gelu_tanh},
          Activation{ActivationKind::silu}, Activation{ActivationKind::hard_swish},
          Activation{ActivationKind::mish}, Activation{ActivationKind::softsign},
          Activation{ActivationKind::selu, 1.67326, 1.0507}, Activation{ActivationKind::celu, 0.7},
          Activation{ActivationKind::thresholded_relu, 0.5}}) {
        expect_gradients(op, {{2, 12}});
    }
}

TEST(ReferenceGradients, OfSoftmaxMatchDifferencesAlongAnyAxis) {
    expect_gradients(Softmax{.axis = 1}, {{3, 4}});
    expect_gradients(Softmax{.axis = -2}, {{2, 3, 4}});
    expect_gradients(Softmax{.axis = 1, .logarithm = true}, {{2, 3, 2}});
}

TEST(ReferenceGradients, OfTheLossMatchDifferences) {
    expect_gradients(SoftmaxCrossEntropy{}, {{4, 3}});
}

TEST(ReferenceGradients, OfElementwiseFunctionsMatchDifferencesWithBroadcasting) {
    for (const ElementwiseKind kind : {ElementwiseKind::add, ElementwiseKind::multiply,
                                       ElementwiseKind::subtract, ElementwiseKind::divide}) {
        expect_gradients(Elementwise{kind}, {{2, 3, 2}, {3, 1}});
    }
    expect_gradients(Elementwise{ElementwiseKind::multiply}, {{2, 3}, {1, 3}, {2, 1}});
    expect_gradients(Elementwise{ElementwiseKind::add}, {{2, 3}, {}, {2, 3}});
}

TEST(ReferenceGradients, OfMaximaAndMinimaMatchDifferences) {
    for (const ElementwiseKind kind : {ElementwiseKind::maximum, ElementwiseKind::minimum}) {
        expect_gradients(Elementwise{kind}, {{8}, {1}});
    }
}

TEST(ReferenceGradients, OfLayersThatMoveElementsMatchDifferences) {
    expect_gradients(Concat{.axis = 1}, {{2, 1, 2}, {2, 3, 2}});
    expect_gradients(Reshape{.dims = {0, -1}}, {{2, 3, 2}});
    expect_gradients(Transpose{.permutation = {2, 0, 1}}, {{2, 3, 4}});
    expect_gradients(Identity{}, {{2, 3}});
    for (const PadKind kind : {PadKind::constant, PadKind::reflect, PadKind::edge}) {
        expect_gradients(Pad{.begin = {0, 2}, .end = {1, -1}, .value = 0.5, .kind = kind},
                         {{3, 4}});
    }
}

TEST(ReferenceGradients, OfDropoutMatchDifferencesOfTheSameMask) {
    expect_gradients(Dropout{.probability = 0.4, .seed = 9}, {{2, 20}});
}

TEST(ReferenceGradients, AnAbsentGradientLeavesTheOthersUnchanged) {
    ReferenceLayer whole(FullyConnected{.out_features = 3}, {{2, 4}});
    ReferenceLayer part = whole;
    part.input_gradients[0].clear();
    whole.backward();
    part.backward();
    EXPECT_TRUE(part.input_gradients[0].empty());
    EXPECT_EQ(part.input_gradients[1], whole.input_gradients[1]);
    EXPECT_EQ(part.input_gradients[2], whole.input_gradients[2]);
}

}  // namespace
}  // namespace strata::testing
