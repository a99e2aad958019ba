// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace strata {

// What a network needs at a batch; nothing where it cannot have that batch.
using PeakAtBatch = std::function<std::optional<Bytes>(std::int64_t)>;

// Where the search ends; nobody fills as many images into one step.
inline constexpr std::int64_t largest_batch_tried = std::int64_t{1} << 24;

// The largest batch whose peak is within the limit; 0 where not even one image fits, nothing where
// the network has no batch of one. The peak must not fall as the batch grows; it mostly grows in a
// straight line, so that few batches are asked for: where the line says, then by halves.
std::optional<std::int64_t> largest_batch(const PeakAtBatch& peak, Bytes limit);

}  // namespace strata
