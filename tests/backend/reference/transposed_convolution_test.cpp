// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include "op/window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {
namespace {

// The definition for two spatial axes: every input element adds its multiple of the kernel to the
// output positions that the kernel covers.
std::vector<double> scattered(const ReferenceLayer& layer) {
    const auto& op = std::get<TransposedConvolution>(layer.op);
    const Window window = window_of(op, layer.signature.inputs[0].tensor);
    const Dims& x = layer.signature.inputs[0].tensor.dims;
    const Dims& w = layer.signature.inputs[1].tensor.dims;
    const Dims& y = layer.signature.outputs[0].dims;
    std::vector<double> sums(static_cast<std::size_t>(product(y)));
    const auto value = [](const HostValues& values, std::int64_t at) {
        return static_cast<double>(values[static_cast<std::size_t>(at)]);
    };
    for (std::int64_t i = 0; i < product(x) * w[1] * w[2] * w[3]; ++i) {
        std::int64_t rest = i;
        const auto next = [&](std::int64_t extent) {
            const std::int64_t index = rest % extent;
            rest /= extent;
            return index;
        };
        const auto kw = next(w[3]), kh = next(w[2]), k = next(w[1]);
        const auto iw = next(x[3]), ih = next(x[2]), c = next(x[1]), n = next(x[0]);
        const auto oh = ih * window.stride[0] - window.pad_begin[0] + kh * window.dilation[0];
        const auto ow = iw * window.stride[1] - window.pad_begin[1] + kw * window.dilation[1];
        if (oh >= 0 && oh < y[2] && ow >= 0 && ow < y[3]) {
            const auto channel = c / (x[1] / op.groups) * w[1] + k;
            const auto to = ((n * y[1] + channel) * y[2] + oh) * y[3] + ow;
            sums[static_cast<std::size_t>(to)] +=
                value(layer.inputs[0], ((n * x[1] + c) * x[2] + ih) * x[3] + iw) *
                value(layer.inputs[1], ((c * w[1] + k) * w[2] + kh) * w[3] + kw);
        }
    }
    for (std::int64_t i = 0; op.bias && i < product(y); ++i) {
        sums[static_cast<std::size_t>(i)] += value(layer.inputs[2], i / (y[2] * y[3]) % y[1]);
    }
    return sums;
}

void expect_transposed_definition(const TransposedConvolution& op, const Dims& x) {
    ReferenceLayer layer(op, {x});
    layer.forward();
    const auto expected = scattered(layer);
    ASSERT_EQ(layer.outputs[0].size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(layer.outputs[0][i], expected[i], 2e-6 + 1e-6 * std::abs(expected[i])) << i;
    }
}

TEST(ReferenceTransposedConvolution, EqualsItsDefinitionTermByTerm) {
    expect_transposed_definition({.out_channels = 5, .kernel = {2, 2}, .stride = {2, 2}},
                                 {2, 3, 3, 4});
    expect_transposed_definition({.out_channels = 6,
                                  .kernel = {3, 4},
                                  .stride = {2, 3},
                                  .dilation = {2, 1},
                                  .pad_begin = {1, 2},
                                  .pad_end = {2, 0},
                                  .output_pad = {1, 2},
                                  .groups = 2},
                                 {2, 4, 4, 3});
    expect_transposed_definition({.out_channels = 4, .kernel = {3, 3}, .groups = 4, .bias = false},
                                 {1, 4, 3, 3});
}

TEST(ReferenceTransposedConvolution, SpreadsAnInputByHand) {
    ReferenceLayer layer(TransposedConvolution{.out_channels = 1, .kernel = {3}, .stride = {2}},
                         {{1, 1, 2}});
    layer.inputs = {{1, 10}, {1, 2, 3}, {0.5F}};
    layer.output_gradients = {{1, 0, 0, 0, 100}};
    layer.forward();
    layer.backward();
    EXPECT_EQ(layer.outputs[0], (HostValues{1.5F, 2.5F, 13.5F, 20.5F, 30.5F}));
    EXPECT_EQ(layer.input_gradients[0], (HostValues{1, 300}));
    EXPECT_EQ(layer.input_gradients[1], (HostValues{1, 0, 1000}));
    EXPECT_EQ(layer.input_gradients[2], (HostValues{101}));
}

// <y, A x> = <A' y, x>, in the input and in the weights.
TEST(ReferenceTransposedConvolution, BackwardPassesAreTheAdjointsOfTheForwardPass) {
    for (const Dims& x : {Dims{2, 6, 5}, Dims{2, 6, 4, 5}, Dims{1, 6, 2, 3, 4}}) {
        const Dims twos(x.size() - 2, 2);
        ReferenceLayer layer(TransposedConvolution{.out_channels = 10,
                                                   .kernel = Dims(x.size() - 2, 3),
                                                   .stride = twos,
                                                   .pad_begin = Dims(x.size() - 2, 1),
                                                   .groups = 2,
                                                   .bias = false},
                             {x});
        layer.backward();
        const double forward = layer.objective();
        EXPECT_NEAR(dot(layer.input_gradients[0], layer.inputs[0]), forward, 1e-3);
        EXPECT_NEAR(dot(layer.input_gradients[1], layer.inputs[1]), forward, 1e-3);
    }
}

}  // namespace
}  // namespace strata::testing
