// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <array>
#include <string_view>

namespace strata {

// Liu et al. 2021, as in torchvision: patches of 4 x 4, four stages on planes of 56, 28, 14 and 7.
// Vectors attend to each other within windows of 7 x 7. In every second block the windows are
// shifted by 3, with a mask between vectors that are not neighbours in the plane. Each head adds a
// trained bias by relative position. Between stages four neighbours become one vector. No
// stochastic depth.
struct Swin {
    std::string_view name;
    std::int64_t width = 96;  // of the first stage, doubled from stage to stage
    std::array<std::int64_t, 4> depths = {2, 2, 6, 2};
    std::array<std::int64_t, 4> heads = {3, 6, 12, 24};
};

inline constexpr Swin swin_tiny = {.name = "swin-tiny"};  // 28,288,354

Graph build(const Swin& variant, std::int64_t batch);

}  // namespace strata
