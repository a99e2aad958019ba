// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <array>

namespace strata::cuda {

// y = x / (1 - probability) if a DropoutChoice keeps x, else 0. The backward pass draws the mask
// again, which costs less than storing it. Addresses: x, y; the two may be the same.
Kernel dropout(std::uint64_t seed, double probability, std::int64_t count,
               const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
