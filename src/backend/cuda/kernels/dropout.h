// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <array>

namespace strata::cuda {

// y = x / (1 - probability) where a DropoutChoice keeps x, else 0: the mask is drawn again
// in the backward pass, which costs less than to keep it. Addresses: x, y, which may be one.
Kernel dropout(std::uint64_t seed, double probability, std::int64_t count,
               const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
