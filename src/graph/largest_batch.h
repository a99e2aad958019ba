// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace strata {

// What a network needs at a batch; nothing where it cannot have that batch.
using PeakAtBatch = std::function<std::optional<Bytes>(std::int64_t)>;

// Where the search ends; nobody fills as many examples into one step.
inline constexpr std::int64_t largest_batch_tried = std::int64_t{1} << 24;

// What a larger batch fails by: the memory, the network that cannot have it, or nothing that was
// found before the search ended.
enum class BatchLimit { memory, network, none };
inline constexpr std::array<std::string_view, 3> names_of(BatchLimit) {
    return {"memory", "network", "none"};
}

// A batch, what it needs, and why there is no larger one.
struct LargestBatch {
    std::int64_t batch = 0;  // 0: not even one example fits
    Bytes needs;             // of this batch; of one example where none fits
    BatchLimit limit = BatchLimit::memory;

    bool operator==(const LargestBatch&) const = default;
};

// The largest batch whose peak is within the memory; nothing where the network has no batch of one.
// The peak must not fall as the batch grows; it mostly grows in a straight line, so that few
// batches are requested: where the line says, then by halves.
std::optional<LargestBatch> largest_batch(const PeakAtBatch& peak, Bytes memory);

}  // namespace strata
