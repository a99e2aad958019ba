// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace strata {

// The extents that shapes broadcast to as NumPy does; nothing where they do not fit.
std::optional<Dims> broadcast_dims(std::span<const Dims> shapes);

// For each element of a tensor of extents `to`, the element of one of extents `from` that stands
// there after broadcasting. Requires: `from` broadcasts to `to`, whose elements are few.
std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to);

}  // namespace strata
