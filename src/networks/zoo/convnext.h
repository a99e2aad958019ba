// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <array>
#include <string_view>

namespace strata {

// Liu et al. 2022, as in torchvision: four stages on planes of 56, 28, 14 and 7. A block is a
// depthwise convolution of 7 x 7, a layer normalisation, two linear layers with a GELU between, a
// trained scale for each channel, and the sum with the block's input. No stochastic depth.
struct ConvNext {
    std::string_view name;
    std::array<std::int64_t, 4> widths = {96, 192, 384, 768};
    std::array<std::int64_t, 4> depths = {3, 3, 9, 3};
};

inline constexpr ConvNext convnext_tiny = {.name = "convnext-tiny"};  // 28,589,128

Graph build(const ConvNext& variant, std::int64_t batch);

}  // namespace strata
