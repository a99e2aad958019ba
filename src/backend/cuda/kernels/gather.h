// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <array>

namespace strata::cuda {

// data[outer, extent, inner], and `indices` positions along its middle axis. A negative index
// counts from the end; one out of range is clamped, so that nothing is read out of bounds.
struct GatherShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    std::int64_t indices = 1;
};

// y[outer, indices, inner] = data[outer, index, inner]. Addresses and types: data, indices, y.
Kernel gather(const GatherShape& shape, const std::array<ElementType, 3>& types);

// data[outer, index, inner] += dy[outer, indices, inner], by atomic additions in no given order.
// The sum is f32. Addresses and types: dy, indices, and the sum.
Kernel scatter_add(const GatherShape& shape, const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
