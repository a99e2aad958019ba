// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

// Fully connected layers and matrix products, by hand.

namespace strata::testing {
namespace {

TEST(ReferenceFullyConnected, MultipliesAsByHand) {
    ReferenceLayer layer(FullyConnected{.out_features = 2}, {{2, 3}});
    layer.inputs = {{1, 2, 3, 4, 5, 6}, {1, 0, -1, 2, 2, 2}, {10, 20}};
    layer.output_gradients = {{1, 10, 100, 1000}};
    layer.forward();
    layer.backward();
    EXPECT_EQ(layer.outputs[0], (HostValues{8, 32, 8, 50}));
    EXPECT_EQ(layer.input_gradients[0], (HostValues{21, 20, 19, 2100, 2000, 1900}));
    EXPECT_EQ(layer.input_gradients[1], (HostValues{401, 502, 603, 4010, 5020, 6030}));
    EXPECT_EQ(layer.input_gradients[2], (HostValues{101, 1010}));
}

TEST(ReferenceFullyConnected, WideLayersEqualNarrowOnesRowByRow) {
    // 70 inputs and outputs use every path of the tiled product.
    ReferenceLayer wide(FullyConnected{.out_features = 70}, {{17, 70}});
    wide.forward();
    wide.backward();
    const double forward = dot(wide.outputs[0], wide.output_gradients[0]) -
                           dot(wide.input_gradients[2], wide.inputs[2]);
    EXPECT_NEAR(dot(wide.input_gradients[0], wide.inputs[0]), forward, 1e-3);
    EXPECT_NEAR(dot(wide.input_gradients[1], wide.inputs[1]), forward, 1e-3);
    ReferenceLayer narrow(FullyConnected{.out_features = 1, .bias = false}, {{17, 70}});
    narrow.inputs[0] = wide.inputs[0];
    narrow.inputs[1].assign(wide.inputs[1].end() - 70, wide.inputs[1].end());
    narrow.forward();
    for (std::size_t n = 0; n < 17; ++n) {
        EXPECT_NEAR(wide.outputs[0][n * 70 + 69], narrow.outputs[0][n] + wide.inputs[2][69], 1e-5);
    }
}

TEST(ReferenceMatMul, MultipliesAsByHandWithAnyTransposition) {
    const HostValues product = {1 * 5 + 2 * 7, 1 * 6 + 2 * 8, 3 * 5 + 4 * 7, 3 * 6 + 4 * 8};
    for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
            ReferenceLayer layer(MatMul{transpose_a, transpose_b}, {{2, 2}, {2, 2}});
            layer.inputs[0] = transpose_a ? HostValues{1, 3, 2, 4} : HostValues{1, 2, 3, 4};
            layer.inputs[1] = transpose_b ? HostValues{5, 7, 6, 8} : HostValues{5, 6, 7, 8};
            layer.forward();
            EXPECT_EQ(layer.outputs[0], product);
        }
    }
}

TEST(ReferenceMatMul, ABroadcastMatrixMeetsEveryOtherAndSumsTheirGradients) {
    ReferenceLayer layer(MatMul{}, {{3, 1, 2}, {2, 1}}, {Role::activation, Role::parameter});
    layer.inputs = {{1, 2, 3, 4, 5, 6}, {10, 1}};
    layer.output_gradients = {{1, 10, 100}};
    layer.forward();
    layer.backward();
    EXPECT_EQ(layer.outputs[0], (HostValues{12, 34, 56}));
    EXPECT_EQ(layer.input_gradients[0], (HostValues{10, 1, 100, 10, 1000, 100}));
    EXPECT_EQ(layer.input_gradients[1], (HostValues{531, 642}));
}

}  // namespace
}  // namespace strata::testing
