// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cpu {

// x[outer, extent, inner] -> the first k in order, y and positions [outer, k, inner].
struct TopKShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    std::int64_t k = 1;
    bool largest = true;
};

// Equal elements keep their order; NaN counts as the largest.
void top_k(const TopKShape& shape, const float* x, float* y, float* positions);

// dx = dy for the chosen elements, otherwise 0.
void top_k_gradient(const TopKShape& shape, const float* dy, const float* positions, float* dx);

// y = 1 at the largest element of each row along the middle axis, else 0; k is not read.
void hardmax(const TopKShape& shape, const float* x, float* y);

}  // namespace strata::cpu
