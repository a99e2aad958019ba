// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

#include <cmath>

// Recurrent layers against PyTorch 2.11 (a GRU that resets before its product: ONNX Runtime 1.31)
// over the same operands, and every gradient against differences.

namespace strata::testing {
namespace {

void expect_near(const HostValues& ours, const std::vector<double>& theirs) {
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        // The expected values have six digits.
        const double last_digit = std::abs(theirs[i]) < 1 ? 1e-6 : 1e-5;
        EXPECT_NEAR(ours[i], theirs[i], 2 * last_digit) << "element " << i;
    }
}

HostValues forward_of(const Recurrent& op, const std::vector<Dims>& activations) {
    ReferenceLayer layer(op, activations);
    layer.forward();
    return layer.outputs[0];
}

const Dims sequence = {2, 1, 2};
const Dims state = {1, 1, 2};

TEST(ReferenceRecurrent, PlainCellsAreThoseOfPyTorch) {
    expect_near(forward_of({.cell = CellKind::rnn_tanh, .hidden = 2}, {sequence}),
                {0.871372, -0.998305, -0.510598, -0.634037});
    expect_near(forward_of({.cell = CellKind::rnn_relu, .hidden = 2}, {sequence}),
                {1.33875, 0, 0.514969, 0});
}

TEST(ReferenceRecurrent, AnLstmWithFirstStatesIsThatOfPyTorch) {
    ReferenceLayer layer(Recurrent{.hidden = 2, .final_state = true}, {sequence, state, state});
    layer.forward();
    expect_near(layer.outputs[0], {-0.161967, 0.112616, -0.665896, 0.118668});
    expect_near(layer.outputs[1], {-0.665896, 0.118668});
    expect_near(layer.outputs[2], {-1.15474, 0.325319});
}

TEST(ReferenceRecurrent, StackedLstmsOfBothDirectionsAreThoseOfPyTorch) {
    ReferenceLayer layer(
        Recurrent{
            .hidden = 2, .layers = 2, .direction = Direction::bidirectional, .final_state = true},
        {sequence});
    layer.forward();
    expect_near(layer.outputs[0], {0.0525962, 0.00701317, -0.288739, -0.330825, 0.0948938,
                                   0.00693726, -0.173762, -0.161605});
    expect_near(layer.outputs[1], {0.155944, -0.267866, -0.487833, 0.0498991, 0.0948938, 0.00693726,
                                   -0.288739, -0.330825});
    expect_near(layer.outputs[2], {0.38948, -0.740342, -0.702623, 0.182521, 0.231918, 0.0295737,
                                   -0.938119, -0.931096});
}

TEST(ReferenceRecurrent, AGruThatResetsAfterItsProductIsThatOfPyTorch) {
    const Recurrent op = {.cell = CellKind::gru, .hidden = 2, .reset_after = true};
    expect_near(forward_of(op, {sequence, state}), {0.0180187, -1.04728, -0.15533, -0.911543});
    expect_near(forward_of(op, {sequence}), {0.265793, -0.597545, 0.424048, -0.805663});
}

TEST(ReferenceRecurrent, AGruThatResetsBeforeItsProductIsThatOfOnnxRuntime) {
    Recurrent op = {.cell = CellKind::gru, .hidden = 2};
    expect_near(forward_of(op, {sequence, state}), {0.167807, -1.02336, 0.0348201, -0.24754});
    op.direction = Direction::reverse;
    expect_near(forward_of(op, {sequence, state}), {-0.154892, -0.0845814, 0.255027, -0.122031});
}

TEST(ReferenceRecurrent, GradientsMatchDifferences) {
    for (const CellKind cell : {CellKind::rnn_tanh, CellKind::lstm, CellKind::gru}) {
        for (const bool reset_after : {false, true}) {
            for (const Direction direction : {Direction::forward, Direction::bidirectional}) {
                expect_gradients_match_differences(
                    ReferenceLayer(Recurrent{.cell = cell,
                                             .hidden = 3,
                                             .direction = direction,
                                             .reset_after = reset_after},
                                   {{3, 2, 4}}));
            }
        }
    }
}

TEST(ReferenceRecurrent, GradientsThroughStatesAndLayersMatchDifferences) {
    expect_gradients_match_differences(ReferenceLayer(Recurrent{.hidden = 2,
                                                                .layers = 2,
                                                                .direction = Direction::reverse,
                                                                .bias = false,
                                                                .final_state = true},
                                                      {{3, 2, 3}, {2, 2, 2}, {2, 2, 2}}));
    expect_gradients_match_differences(ReferenceLayer(
        Recurrent{.cell = CellKind::gru, .hidden = 2, .layers = 2, .final_state = true},
        {{3, 2, 3}, {2, 2, 2}}));
}

TEST(ReferenceEmbedding, CopiesRowsAndAddsUpTheirGradients) {
    ReferenceLayer layer(Embedding{.rows = 3, .width = 2}, {{3}}, {Role::label});
    layer.inputs = {{2, 0, -1}, {1, 2, 3, 4, 5, 6}};
    layer.output_gradients = {{1, 10, 100, 1000, 2, 20}};
    layer.forward();
    layer.backward();
    EXPECT_EQ(layer.outputs[0], (HostValues{5, 6, 1, 2, 5, 6}));
    EXPECT_EQ(layer.input_gradients[1], (HostValues{100, 1000, 0, 0, 3, 30}));
}

TEST(ReferenceEmbedding, AnIndexThatNamesNoRowIsAnError) {
    ReferenceLayer layer(Embedding{.rows = 3, .width = 2}, {{2}}, {Role::label});
    for (const float beyond : {3.0F, -4.0F}) {
        layer.inputs[0] = {0, beyond};
        EXPECT_ANY_THROW(layer.forward());
        EXPECT_ANY_THROW(layer.backward());
    }
}

}  // namespace
}  // namespace strata::testing
