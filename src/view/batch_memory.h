// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory_profile.h"

#include <span>
#include <vector>

namespace strata {

// A network's memory at one batch, as the views of several batches tell it.
struct BatchMemory {
    std::int64_t batch = 1;
    MemoryProfile profile;  // of the execution asked for
    std::string at;         // "fc6 update"; empty where nothing runs
    Bytes inference;        // peak of the network that only answers
};

BatchMemory batch_memory_of(const Graph& graph, const Execution& execution);

// What each further example costs: the growth of the peak between the two largest batches. Nothing
// for fewer than two.
std::optional<Bytes> bytes_per_image(std::span<const BatchMemory> batches);

// Where an execution needs the most: "conv2 backward_data"; empty without tasks.
std::string place_of_peak(const Graph& graph, const MemoryProfile& profile);

}  // namespace strata
