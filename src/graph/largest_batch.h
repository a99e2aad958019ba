// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

// The memory that a network needs at a batch; nothing if it cannot have that batch.
using PeakAtBatch = std::function<std::optional<Bytes>(std::int64_t)>;

// The end of the search; no real step has that many examples.
inline constexpr std::int64_t largest_batch_tried = std::int64_t{1} << 24;

// Why a larger batch fails: the memory, the network that cannot have it, or no reason found before
// the search ended.
enum class BatchLimit { memory, network, none };
inline constexpr std::array<std::string_view, 3> names_of(BatchLimit) {
    return {"memory", "network", "none"};
}

// A batch, the memory it needs, and why there is no larger one.
struct LargestBatch {
    std::int64_t batch = 0;  // 0: not even one example fits
    Bytes needs;             // of this batch; of one example if none fits
    BatchLimit limit = BatchLimit::memory;

    bool operator==(const LargestBatch&) const = default;
};

// The largest batch whose peak fits the memory; nothing if the network cannot have a batch of one.
// The peak must not fall as the batch grows. It mostly grows linearly, so few batches are tried:
// the one that the line predicts, then by bisection.
std::optional<LargestBatch> largest_batch(const PeakAtBatch& peak, Bytes memory);

// The source of the memory limit.
enum class MemorySource { free, given, device };
inline constexpr std::array<std::string_view, 3> names_of(MemorySource) {
    return {"free", "given", "device"};
}

// The largest batch that the memory can hold, by the network's footprint.
struct Capacity {
    LargestBatch largest;
    Bytes memory;  // given, or the free memory of the machine or device when queried
    MemorySource source = MemorySource::free;
    std::string refusal{};  // why the network cannot have a larger batch, if that is the limit
};

}  // namespace strata
