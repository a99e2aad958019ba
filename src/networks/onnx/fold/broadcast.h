// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace strata {

// The extents to which shapes broadcast by NumPy's rule; nothing if they do not fit.
std::optional<Dims> broadcast_dims(std::span<const Dims> shapes);

// For each element of a tensor with extents `to`, the source element in a tensor with extents
// `from` that is broadcast to it. Requires: `from` broadcasts to `to`, which has few elements.
std::vector<std::int64_t> broadcast_elements(const Dims& from, const Dims& to);

}  // namespace strata
