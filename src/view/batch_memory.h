// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory_profile.h"

#include <span>
#include <vector>

namespace strata {

// A network's memory at one batch, as views of several batches show it.
struct BatchMemory {
    std::int64_t batch = 1;
    MemoryProfile profile;  // of the execution requested
    std::string at;         // "fc6 update"; empty if nothing runs
    Bytes inference;        // peak of the network in inference
};

BatchMemory batch_memory_of(const Graph& graph, const Execution& execution);

// The memory of each additional example: the growth of the peak between the two largest batches.
// Empty for fewer than two.
std::optional<Bytes> bytes_per_image(std::span<const BatchMemory> batches);

// Where an execution reaches its memory peak: "conv2 backward_data"; empty without tasks.
std::string place_of_peak(const Graph& graph, const MemoryProfile& profile);

}  // namespace strata
