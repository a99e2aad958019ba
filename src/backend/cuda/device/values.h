// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/device/format.h"

#include <cstddef>
#include <span>
#include <vector>

namespace strata::cuda {

// Elements as they lie in device memory, from dense row-major floats and back.
std::vector<std::byte> encode(std::span<const float> values, const Dims& dims, Format format);
HostValues decode(std::span<const std::byte> bytes, const Dims& dims, Format format);

// One element of memory that holds this type.
float load_element(const void* memory, std::int64_t view, ElementType type);
void store_element(void* memory, std::int64_t view, ElementType type, float value);

}  // namespace strata::cuda
