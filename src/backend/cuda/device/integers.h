// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/queue.h"

#include <cstdint>

namespace strata::cuda {

// So many times this integer, as int32, in memory of the device; while a call is finalized. Throws
// DeviceError.
Memory repeated_integer(const Queue& queue, std::int64_t value, std::int64_t times);

}  // namespace strata::cuda
