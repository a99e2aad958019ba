// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device/format.h"
#include "backend/cuda/device/stream.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata::cuda {

// Converts dense row-major floats to elements in the layout of device memory, and back.
std::vector<std::byte> encode(std::span<const float> values, const Dims& dims, Format format);
HostValues decode(std::span<const std::byte> bytes, const Dims& dims, Format format);

// One element of memory of this type.
float load_element(const void* memory, std::int64_t view, ElementType type);
void store_element(void* memory, std::int64_t view, ElementType type, float value);

// An int32 array in device memory that repeats one value. Call it while a call is finalized. Throws
// DeviceError.
Memory repeated_integer(const Queue& queue, std::int64_t value, std::int64_t times);

}  // namespace strata::cuda
