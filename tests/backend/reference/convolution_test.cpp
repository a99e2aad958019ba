// SPDX-License-Identifier: MIT
#include "tests/backend/reference/layer.h"

#include "op/window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {
namespace {

// The definition, term by term, for two spatial axes: no layouts, no matrices, no ranges.
struct PlainConvolution {
    explicit PlainConvolution(const ReferenceLayer& owner)
        : layer(owner),
          op(std::get<Convolution>(owner.op)),
          window(window_of(op, owner.signature.inputs[0].tensor)),
          x(owner.signature.inputs[0].tensor.dims),
          w(owner.signature.inputs[1].tensor.dims),
          y(owner.signature.outputs[0].dims) {}

    // Calls use(y index, x index, weight index) for every product of the layer.
    template <class Use>
    void for_each_product(Use&& use) const {
        for (std::int64_t i = 0; i < product(y) * w[1] * w[2] * w[3]; ++i) {
            std::int64_t rest = i;
            const auto next = [&](std::int64_t extent) {
                const std::int64_t index = rest % extent;
                rest /= extent;
                return index;
            };
            const auto kw = next(w[3]), kh = next(w[2]), c = next(w[1]);
            const auto ow = next(y[3]), oh = next(y[2]), k = next(y[1]), n = next(y[0]);
            const auto ih = oh * window.stride[0] - window.pad_begin[0] + kh * window.dilation[0];
            const auto iw = ow * window.stride[1] - window.pad_begin[1] + kw * window.dilation[1];
            if (ih >= 0 && ih < x[2] && iw >= 0 && iw < x[3]) {
                const auto channel = k / (y[1] / op.groups) * w[1] + c;
                use(((n * y[1] + k) * y[2] + oh) * y[3] + ow,
                    ((n * x[1] + channel) * x[2] + ih) * x[3] + iw,
                    ((k * w[1] + c) * w[2] + kh) * w[3] + kw);
            }
        }
    }

    HostValues forward() const {
        std::vector<double> sums(static_cast<std::size_t>(product(y)));
        for_each_product([&](std::int64_t o, std::int64_t i, std::int64_t t) {
            sums[at(o)] += static_cast<double>(layer.inputs[0][at(i)]) *
                           static_cast<double>(layer.inputs[1][at(t)]);
        });
        for (std::size_t i = 0; op.bias && i < sums.size(); ++i) {
            sums[i] += layer.inputs[2][i / at(y[2] * y[3]) % at(y[1])];
        }
        return {sums.begin(), sums.end()};
    }

    HostValues data_gradient() const {
        std::vector<double> sums(static_cast<std::size_t>(product(x)));
        for_each_product([&](std::int64_t o, std::int64_t i, std::int64_t t) {
            sums[at(i)] += static_cast<double>(layer.output_gradients[0][at(o)]) *
                           static_cast<double>(layer.inputs[1][at(t)]);
        });
        return {sums.begin(), sums.end()};
    }

    HostValues weight_gradient() const {
        std::vector<double> sums(static_cast<std::size_t>(product(w)));
        for_each_product([&](std::int64_t o, std::int64_t i, std::int64_t t) {
            sums[at(t)] += static_cast<double>(layer.output_gradients[0][at(o)]) *
                           static_cast<double>(layer.inputs[0][at(i)]);
        });
        return {sums.begin(), sums.end()};
    }

    static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

    const ReferenceLayer& layer;
    Convolution op;
    Window window;
    Dims x, w, y;
};

void expect_equal(const HostValues& ours, const HostValues& plain) {
    ASSERT_EQ(ours.size(), plain.size());
    for (std::size_t i = 0; i < ours.size(); ++i) {
        ASSERT_NEAR(ours[i], plain[i], 1e-6 + 1e-6 * std::abs(plain[i])) << i;
    }
}

void expect_definition(const Convolution& op, const Dims& x) {
    ReferenceLayer layer(op, {x});
    layer.forward();
    layer.backward();
    const PlainConvolution plain(layer);
    expect_equal(layer.outputs[0], plain.forward());
    expect_equal(layer.input_gradients[0], plain.data_gradient());
    expect_equal(layer.input_gradients[1], plain.weight_gradient());
}

TEST(ReferenceConvolution, EqualsItsDefinitionTermByTerm) {
    expect_definition(
        {.out_channels = 20, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}},
        {2, 17, 7, 6});
    expect_definition({.out_channels = 16, .kernel = {1, 1}, .bias = false}, {2, 19, 5, 5});
    expect_definition({.out_channels = 34, .kernel = {11, 11}, .stride = {4, 4}}, {1, 3, 23, 27});
}

TEST(ReferenceConvolution, EqualsItsDefinitionWithGroupsStridesDilationAndAsymmetricPadding) {
    expect_definition({.out_channels = 36,
                       .kernel = {3, 2},
                       .stride = {2, 3},
                       .dilation = {2, 3},
                       .pad_begin = {3, 0},
                       .pad_end = {1, 5},
                       .groups = 2},
                      {2, 8, 9, 11});
    expect_definition({.out_channels = 12, .kernel = {5, 5}, .pad_begin = {4, 4}, .groups = 12},
                      {2, 12, 4, 3});
}

TEST(ReferenceConvolution, PaddingWiderThanTheInputAddsNothing) {
    expect_definition({.out_channels = 2, .kernel = {2, 2}, .pad_begin = {5, 5}, .pad_end = {5, 5}},
                      {1, 1, 1, 1});
}

TEST(ReferenceConvolution, SumsAWindowByHand) {
    // 1 2 3 summed under 10 1, padded with one zero at the end: 12, 23, 30; and a bias of 0.5.
    ReferenceLayer layer(Convolution{.out_channels = 1, .kernel = {2}, .pad_end = {1}},
                         {{1, 1, 3}});
    layer.inputs = {{1, 2, 3}, {10, 1}, {0.5F}};
    layer.output_gradients = {{1, 0, 100}};
    layer.forward();
    layer.backward();
    EXPECT_EQ(layer.outputs[0], (HostValues{12.5F, 23.5F, 30.5F}));
    EXPECT_EQ(layer.input_gradients[0], (HostValues{10, 1, 1000}));
    EXPECT_EQ(layer.input_gradients[1], (HostValues{1 * 1 + 100 * 3, 1 * 2}));
    EXPECT_EQ(layer.input_gradients[2], (HostValues{101}));
}

// <y, A x> = <A' y, x>, in the input and in the weights.
TEST(ReferenceConvolution, BackwardPassesAreTheAdjointsOfTheForwardPass) {
    for (const Dims& x : {Dims{2, 6, 12}, Dims{2, 6, 9, 8}, Dims{1, 6, 4, 5, 6}}) {
        const Dims kernel(x.size() - 2, 3), stride(x.size() - 2, 2);
        ReferenceLayer layer(Convolution{.out_channels = 20,
                                         .kernel = kernel,
                                         .stride = stride,
                                         .pad_begin = Dims(x.size() - 2, 1),
                                         .groups = 2,
                                         .bias = false},
                             {x});
        layer.backward();
        const double forward = layer.objective();
        const double tolerance = 1e-5 * std::sqrt(static_cast<double>(layer.outputs[0].size()));
        EXPECT_NEAR(dot(layer.input_gradients[0], layer.inputs[0]), forward, tolerance);
        EXPECT_NEAR(dot(layer.input_gradients[1], layer.inputs[1]), forward, tolerance);
    }
}

}  // namespace
}  // namespace strata::testing
