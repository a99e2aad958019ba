// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <array>

namespace strata::cuda {

// x[outer, extent, inner], along the middle axis.
struct TopKShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    std::int64_t k = 1;
    bool largest = true;
};

// The first k elements in order, with their positions. Addresses: x, values, positions (f32).
Kernel top_k_forward(const TopKShape& shape, const std::array<ElementType, 2>& types);

// dx = dy where an element was chosen, else 0. Addresses: dy, positions, dx.
Kernel top_k_backward(const TopKShape& shape, const std::array<ElementType, 2>& types);

// y = 1 at the largest element of each row along the middle axis, else 0; k is not read.
// Addresses: x, y.
Kernel hardmax_forward(const TopKShape& shape, const std::array<ElementType, 2>& types);

// dx = 0. Addresses: dx.
Kernel hardmax_backward(std::int64_t count, ElementType type);

}  // namespace strata::cuda
