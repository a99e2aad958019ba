// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/pad.h"

#include <array>

namespace strata::cuda {

// y = x with elements added before and after each axis, both row-major. Addresses: x, y. Throws
// Error if there are more than 8 axes.
Kernel pad_forward(const Pad& op, const Dims& x, const Dims& y,
                   const std::array<ElementType, 2>& types);

// sum[source] += dy for every element that has a source, by atomic additions. Addresses: dy, sum
// (f32).
Kernel pad_scatter(const Pad& op, const Dims& x, const Dims& y, ElementType dy);

}  // namespace strata::cuda
