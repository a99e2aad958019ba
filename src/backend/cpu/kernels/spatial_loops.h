// SPDX-License-Identifier: MIT
#pragma once

#include "op/resize.h"
#include "op/window.h"

#include <array>
#include <vector>

namespace strata::cpu {

// One axis of an operator whose every output is a weighted sum of inputs: output o uses
// taps[starts[o]] up to taps[starts[o + 1]].
struct WeightedAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::vector<std::size_t> starts = {0, 1};
    std::vector<InterpolationTap> taps = {{}};
};

// Depth, height and width; leading axes that do not exist have extent 1. The weight of an input in
// an output is the product over the axes.
using WeightedAxes = std::array<WeightedAxis, 3>;

WeightedAxes weighted_axes(const Resize& op, const Tensor& input);

// The weights of average pooling, which divides by the taps inside the input, and by those in its
// padding if the operator counts them. Taps that ceil mode adds beyond it never count.
WeightedAxes weighted_axes(const Pooling& op, const Tensor& input, const Tensor& output);

// y = the weighted sums of x, for `outer` copies of the axes with `inner` elements at each
// position. Runs on OpenMP's threads.
void spatial_sums(const WeightedAxes& axes, std::int64_t outer, std::int64_t inner, const float* x,
                  float* y);

// dx = the transposed sums of dy; `dx` is overwritten.
void spatial_sums_gradient(const WeightedAxes& axes, std::int64_t outer, std::int64_t inner,
                           const float* dy, float* dx);

}  // namespace strata::cpu
