// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "op/pad.h"

#include <array>

namespace strata::cuda {

// y = x with elements added before and after each axis, both in rows. Addresses: x, y. Throws Error
// where there are more axes than 8.
Kernel pad_forward(const Pad& op, const Dims& x, const Dims& y,
                   const std::array<ElementType, 2>& types);

// sum[source] += dy of every element that has a source, by atomic additions. Addresses: dy, sum
// (f32).
Kernel pad_scatter(const Pad& op, const Dims& x, const Dims& y, ElementType dy);

}  // namespace strata::cuda
