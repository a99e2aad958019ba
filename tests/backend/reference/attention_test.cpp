// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata::testing {
namespace {

constexpr float hidden = -std::numeric_limits<float>::infinity();

// Two keys, whose scores are 0 and log 3: the probabilities are 1/4 and 3/4.
ReferenceLayer two_keys(const Attention& op) {
    ReferenceLayer layer(op, {{1, 1, 1}, {1, 2, 1}, {1, 2, 1}});
    layer.inputs = {{std::log(3.0F)}, {0, 1}, {4, 8}};
    return layer;
}

TEST(ReferenceAttention, WeighsTheValuesByTheSoftmaxOfTheScores) {
    ReferenceLayer layer = two_keys({});
    layer.forward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], 0.25F * 4 + 0.75F * 8);
}

// ds = p (dp - mean): 1/4 (4 - 7) and 3/4 (8 - 7).
TEST(ReferenceAttention, ItsGradientsAreThoseOfTheSoftmaxAndTheProducts) {
    ReferenceLayer layer = two_keys({});
    layer.output_gradients[0] = {1};
    layer.backward();
    EXPECT_FLOAT_EQ(layer.input_gradients[0][0], 0.75F);
    EXPECT_FLOAT_EQ(layer.input_gradients[1][0], -0.75F * std::log(3.0F));
    EXPECT_FLOAT_EQ(layer.input_gradients[1][1], 0.75F * std::log(3.0F));
    EXPECT_FLOAT_EQ(layer.input_gradients[2][0], 0.25F);
    EXPECT_FLOAT_EQ(layer.input_gradients[2][1], 0.75F);
}

TEST(ReferenceAttention, DividesTheScoresByTheRootOfTheWidthByDefault) {
    ReferenceLayer layer(Attention{}, {{1, 1, 4}, {1, 2, 4}, {1, 2, 4}});
    layer.inputs = {
        {2 * std::log(3.0F), 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0, 0}, {4, 0, 0, 0, 8, 0, 0, 0}};
    layer.forward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], 7);
    ReferenceLayer scaled = two_keys({.scale = 1e-9});
    scaled.forward();
    EXPECT_FLOAT_EQ(scaled.outputs[0][0], 6);
}

TEST(ReferenceAttention, CausalQueriesSeeNoLaterKeyAndAreAlignedAtTheEnd) {
    ReferenceLayer square(Attention{.causal = true}, {{1, 2, 1}, {1, 2, 1}, {1, 2, 1}});
    square.inputs = {{1, 0}, {0, 1}, {4, 8}};
    square.forward();
    EXPECT_EQ(square.outputs[0], (HostValues{4, 6}));
    ReferenceLayer last = two_keys({.causal = true});
    last.forward();
    EXPECT_FLOAT_EQ(last.outputs[0][0], 7);
}

TEST(ReferenceAttention, AQueryThatSeesNothingGivesNothing) {
    ReferenceLayer layer(Attention{.causal = true}, {{1, 2, 1}, {1, 1, 1}, {1, 1, 1}});
    layer.inputs = {{1, 2}, {3}, {5}};
    layer.forward();
    layer.backward();
    EXPECT_EQ(layer.outputs[0], (HostValues{0, 5}));
    EXPECT_EQ(layer.input_gradients[2][0], layer.output_gradients[0][1]);
}

TEST(ReferenceAttention, AMaskIsAddedToTheScores) {
    ReferenceLayer layer(Attention{}, {{1, 2, 1}, {1, 2, 1}, {1, 2, 1}, {2, 2}});
    layer.inputs = {{0, 0}, {0, 0}, {4, 8}, {0, std::log(3.0F), hidden, 0}};
    layer.forward();
    EXPECT_FLOAT_EQ(layer.outputs[0][0], 7);
    EXPECT_FLOAT_EQ(layer.outputs[0][1], 8);
}

// Heads 0 and 1 read the first head of keys, 2 and 3 the second.
TEST(ReferenceAttention, GroupsOfNeighbouringHeadsShareTheirKeys) {
    ReferenceLayer layer(Attention{.heads = 4, .kv_heads = 2}, {{1, 1, 4}, {1, 1, 2}, {1, 1, 2}});
    layer.inputs = {{1, 2, 3, 4}, {1, 1}, {10, 20}};
    layer.forward();
    EXPECT_EQ(layer.outputs[0], (HostValues{10, 10, 20, 20}));
    layer.output_gradients[0] = {1, 2, 4, 8};
    layer.backward();
    EXPECT_EQ(layer.input_gradients[2], (HostValues{3, 12}));
}

TEST(ReferenceAttention, PackedAndByHeadAreOneComputation) {
    ReferenceLayer packed(Attention{.heads = 2}, {{1, 2, 2}, {1, 3, 2}, {1, 3, 2}});
    ReferenceLayer by_head(Attention{}, {{1, 2, 2, 1}, {1, 2, 3, 1}, {1, 2, 3, 1}});
    const auto split = [](const HostValues& values) {  // [positions][2] -> [2][positions]
        HostValues result(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            result[i % 2 * (values.size() / 2) + i / 2] = values[i];
        }
        return result;
    };
    for (std::size_t i = 0; i < 3; ++i) {
        by_head.inputs[i] = split(packed.inputs[i]);
    }
    packed.forward();
    by_head.forward();
    EXPECT_EQ(by_head.outputs[0], split(packed.outputs[0]));
}

}  // namespace
}  // namespace strata::testing
