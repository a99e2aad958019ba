// SPDX-License-Identifier: MIT
#pragma once

#include "op/interpolation.h"
#include "op/window.h"

#include <array>
#include <vector>

namespace strata::cpu {

// One axis of an operator whose every output position is a weighted sum of input positions: output
// o is made of taps[starts[o]] up to taps[starts[o + 1]].
struct WeightedAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::vector<std::size_t> starts = {0, 1};
    std::vector<InterpolationTap> taps = {{}};
};

// Depth, height and width; the first ones are of extent 1 where there are fewer. The weight of an
// input in an output is the product over the axes.
using WeightedAxes = std::array<WeightedAxis, 3>;

WeightedAxes weighted_axes(const Resize& op, const Tensor& input);

// An average that divides by the taps inside the padded input, those in the padding included: what
// ceil mode adds beyond it never counts.
WeightedAxes weighted_axes(const Pooling& op, const Tensor& input, const Tensor& output);

// y = the weighted sums of x, for `outer` times the axes with `inner` elements at each position.
// Spread over the threads of OpenMP.
void spatial_sums(const WeightedAxes& axes, std::int64_t outer, std::int64_t inner, const float* x,
                  float* y);

// dx = the transposed sums of dy; `dx` is overwritten.
void spatial_sums_gradient(const WeightedAxes& axes, std::int64_t outer, std::int64_t inner,
                           const float* dy, float* dx);

}  // namespace strata::cpu
