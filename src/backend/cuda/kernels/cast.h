// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <array>

namespace strata::cuda {

// y = x converted to `dtype` (backend/cast_value.h), stored in the given types. Addresses: x, y.
Kernel cast(DataType dtype, std::int64_t count, const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
