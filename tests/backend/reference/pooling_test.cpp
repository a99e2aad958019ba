// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include <gtest/gtest.h>

namespace strata::testing {
namespace {

HostValues pooled(const Pooling& op, const Dims& x, HostValues values) {
    ReferenceLayer layer(op, {x});
    layer.inputs[0] = std::move(values);
    layer.forward();
    return layer.outputs[0];
}

HostValues spread_back(const Pooling& op, const Dims& x, HostValues values, HostValues gradient) {
    ReferenceLayer layer(op, {x});
    layer.inputs[0] = std::move(values);
    layer.output_gradients[0] = std::move(gradient);
    layer.backward();
    return layer.input_gradients[0];
}

TEST(ReferencePooling, TakesTheMaximumOfEachWindow) {
    const Pooling op = {.kernel = {2, 2}, .stride = {1, 1}};
    EXPECT_EQ(pooled(op, {1, 1, 3, 3}, {1, 5, 2, 0, 3, 4, 9, 7, 8}), (HostValues{5, 5, 9, 8}));
}

TEST(ReferencePooling, PaddingNeverWinsAMaximum) {
    const Pooling op = {.kernel = {2}, .stride = {2}, .pad_begin = {1}, .pad_end = {1}};
    EXPECT_EQ(pooled(op, {1, 1, 2}, {-3, -5}), (HostValues{-3, -5}));
}

TEST(ReferencePooling, AmongEqualMaximaTheFirstInRowMajorOrderGetsTheGradient) {
    const Pooling op = {.kernel = {2, 2}};
    EXPECT_EQ(spread_back(op, {1, 1, 2, 2}, {1, 7, 7, 7}, {3}), (HostValues{0, 3, 0, 0}));
}

TEST(ReferencePooling, OverlappingWindowsAddUpTheirGradients) {
    const Pooling op = {.kernel = {3}, .stride = {1}};
    EXPECT_EQ(spread_back(op, {1, 1, 5}, {0, 0, 9, 0, 0}, {1, 10, 100}),
              (HostValues{0, 0, 111, 0, 0}));
}

TEST(ReferencePooling, AnAverageDividesByTheElementsInsideOrByThePaddingToo) {
    Pooling op = {.kind = PoolingKind::average,
                  .kernel = {2},
                  .stride = {2},
                  .pad_begin = {1},
                  .pad_end = {1}};
    EXPECT_EQ(pooled(op, {1, 1, 4}, {6, 2, 4, 8}), (HostValues{6, 3, 8}));
    EXPECT_EQ(spread_back(op, {1, 1, 4}, {0, 0, 0, 0}, {2, 4, 8}), (HostValues{2, 2, 2, 8}));
    op.count_include_pad = true;
    EXPECT_EQ(pooled(op, {1, 1, 4}, {6, 2, 4, 8}), (HostValues{3, 3, 4}));
    EXPECT_EQ(spread_back(op, {1, 1, 4}, {0, 0, 0, 0}, {2, 4, 8}), (HostValues{1, 2, 2, 4}));
}

// The last window covers one element, one of the padding and one that only ceil mode adds.
TEST(ReferencePooling, TapsThatCeilModeAddsBeyondThePaddingNeverCount) {
    Pooling op = {.kind = PoolingKind::average,
                  .kernel = {3},
                  .stride = {3},
                  .pad_end = {1},
                  .ceil_mode = true,
                  .count_include_pad = true};
    EXPECT_EQ(pooled(op, {1, 1, 4}, {1, 2, 6, 8}), (HostValues{3, 4}));
    op.count_include_pad = false;
    EXPECT_EQ(pooled(op, {1, 1, 4}, {1, 2, 6, 8}), (HostValues{3, 8}));
    op.kind = PoolingKind::max;
    EXPECT_EQ(pooled(op, {1, 1, 4}, {1, 2, 6, 8}), (HostValues{6, 8}));
}

TEST(ReferencePooling, DilatedWindowsSkipElements) {
    const Pooling op = {.kernel = {2}, .dilation = {2}};
    EXPECT_EQ(pooled(op, {1, 1, 4}, {1, 5, 2, 3}), (HostValues{2, 5}));
}

TEST(ReferencePooling, AGlobalAverageTakesThePlaneOfEveryChannel) {
    const Pooling op = {.kind = PoolingKind::average, .global = true};
    EXPECT_EQ(pooled(op, {1, 2, 2, 2}, {1, 2, 3, 6, 0, 0, 0, 4}), (HostValues{3, 1}));
}

}  // namespace
}  // namespace strata::testing
