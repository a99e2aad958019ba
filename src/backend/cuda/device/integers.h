// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/queue.h"

#include <cstdint>

namespace strata::cuda {

// An int32 array in device memory that repeats one value. Call it while a call is finalized. Throws
// DeviceError.
Memory repeated_integer(const Queue& queue, std::int64_t value, std::int64_t times);

}  // namespace strata::cuda
