// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

#include <cmath>

// Local response, batch, layer and group normalisation, by hand.

namespace strata::testing {
namespace {

TEST(ReferenceLrn, DividesByAPowerOfItsNeighboursSquares) {
    ReferenceLayer layer(Lrn{.size = 3, .alpha = 3, .beta = 0.5, .k = 2}, {{1, 3, 1}});
    layer.inputs[0] = {1, 2, 3};
    layer.forward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], static_cast<float>(1 / std::sqrt(2.0 + 1 + 4)));
    EXPECT_FLOAT_EQ(layer.outputs[0][1], static_cast<float>(2 / std::sqrt(2.0 + 1 + 4 + 9)));
    EXPECT_FLOAT_EQ(layer.outputs[0][2], static_cast<float>(3 / std::sqrt(2.0 + 4 + 9)));
}

TEST(ReferenceLrn, AnEvenWindowReachesOneFurtherAhead) {
    ReferenceLayer layer(Lrn{.size = 2, .alpha = 2, .beta = 1, .k = 1}, {{1, 3, 1}});
    layer.inputs[0] = {1, 2, 3};
    layer.forward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], 1.0F / 6);
    EXPECT_FLOAT_EQ(layer.outputs[0][1], 2.0F / 14);
    EXPECT_FLOAT_EQ(layer.outputs[0][2], 3.0F / 10);
}

ReferenceLayer batch_normalization(Mode mode) {
    ReferenceLayer layer(BatchNormalization{.epsilon = 3, .momentum = 0.75}, {{2, 1, 2}});
    layer.execution.numerics.mode = mode;
    layer.inputs = {{1, 3, 5, 3}, {10}, {7}, {100}, {1}};
    layer.forward();
    return layer;
}

// The batch has mean 3 and biased variance 2; with epsilon 3 the deviation would be sqrt(5).
TEST(ReferenceBatchNormalization, TrainingUsesTheBatchesBiasedVariance) {
    const ReferenceLayer layer = batch_normalization(Mode::training);
    const auto low = static_cast<float>(7 - 20 / std::sqrt(5.0));
    const auto high = static_cast<float>(7 + 20 / std::sqrt(5.0));
    EXPECT_FLOAT_EQ(layer.outputs[0][0], low);
    EXPECT_FLOAT_EQ(layer.outputs[0][1], 7);
    EXPECT_FLOAT_EQ(layer.outputs[0][2], high);
}

TEST(ReferenceBatchNormalization, TrainingMovesTheRunningStatisticsByTheirMomentum) {
    const ReferenceLayer layer = batch_normalization(Mode::training);
    EXPECT_FLOAT_EQ(layer.statistics[3][0], 0.75F * 100 + 0.25F * 3);
    EXPECT_FLOAT_EQ(layer.statistics[4][0], 0.75F * 1 + 0.25F * 2);
}

TEST(ReferenceBatchNormalization, InferenceUsesTheRunningStatistics) {
    const ReferenceLayer layer = batch_normalization(Mode::inference);
    EXPECT_FLOAT_EQ(layer.outputs[0][0], 7 + 10 * (1 - 100) / 2.0F);
}

TEST(ReferenceBatchNormalization, EachElementOfAnImageMayHaveItsOwnStatistic) {
    ReferenceLayer layer(
        BatchNormalization{.epsilon = 0, .scope = NormalizationScope::per_activation}, {{2, 1, 2}});
    layer.inputs = {{1, 10, 3, 30}, {1, 1}, {0, 0}, {0, 0}, {1, 1}};
    layer.forward();
    EXPECT_EQ(layer.outputs[0], (HostValues{-1, -1, 1, 1}));
}

// Adding to a channel's input or scaling it does not change the normalised value, so the gradient
// has no component along either.
TEST(ReferenceBatchNormalization, TheDataGradientIsOrthogonalToConstantsAndToTheInput) {
    ReferenceLayer layer(BatchNormalization{.epsilon = 1e-12}, {{4, 1, 3}});
    layer.backward();
    EXPECT_NEAR(dot(layer.input_gradients[0], HostValues(12, 1)), 0, 1e-5);
    EXPECT_NEAR(dot(layer.input_gradients[0], layer.inputs[0]), 0, 1e-5);
}

// Each row has mean 2 and biased variance 1; with epsilon 3 the deviation is 2.
TEST(ReferenceLayerNormalization, NormalizesEachRowByItsOwnMeanAndBiasedVariance) {
    ReferenceLayer layer(LayerNormalization{.epsilon = 3}, {{2, 2}});
    layer.inputs = {{1, 3, 3, 1}, {10, 20}, {7, 8}};
    layer.forward();
    EXPECT_EQ(layer.outputs[0], (HostValues{7 - 5, 8 + 10, 7 + 5, 8 - 10}));
}

TEST(ReferenceLayerNormalization, TheRootMeanSquareLeavesTheMeanWhereItIs) {
    ReferenceLayer layer(LayerNormalization{.epsilon = 0.5,
                                            .kind = NormalizationKind::root_mean_square,
                                            .scale = false,
                                            .shift = false},
                         {{1, 2}});
    layer.inputs = {{3, 4}};  // mean of squares 12.5
    layer.forward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], static_cast<float>(3 / std::sqrt(13.0)));
    EXPECT_FLOAT_EQ(layer.outputs[0][1], static_cast<float>(4 / std::sqrt(13.0)));
}

// Two groups of two channels: the first has mean 2.5 and variance 1.25, the second is constant.
TEST(ReferenceGroupNormalization, ChannelsOfAGroupShareTheirStatistics) {
    ReferenceLayer layer(GroupNormalization{.groups = 2, .epsilon = 1}, {{1, 4, 2}});
    layer.inputs = {{1, 2, 3, 4, 5, 5, 5, 5}, {3, 6, 1, 1}, {0, 1, 8, 9}};
    layer.forward();
    const HostValues expected = {-3, -1, 1 + 2, 1 + 6, 8, 8, 9, 9};
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(layer.outputs[0][i], expected[i], 1e-5) << i;
    }
}

TEST(ReferenceGroupNormalization, WithOneImageAndOneGroupPerChannelIsABatchNormalization) {
    ReferenceLayer instance(GroupNormalization{.epsilon = 0.1}, {{1, 3, 4}});
    ReferenceLayer batch(BatchNormalization{.epsilon = 0.1}, {{1, 3, 4}});
    for (auto* layer : {&instance, &batch}) {
        layer->forward();
        layer->backward();
    }
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_FLOAT_EQ(instance.outputs[0][i], batch.outputs[0][i]);
        EXPECT_NEAR(instance.input_gradients[0][i], batch.input_gradients[0][i], 1e-6);
    }
}

}  // namespace
}  // namespace strata::testing
