// SPDX-License-Identifier: MIT
#include "view/batch_memory.h"

#include "networks/network.h"

namespace strata {

BatchMemory batch_memory_of(const Graph& graph, const Execution& execution) {
    Execution answering = execution;
    answering.numerics.mode = Mode::inference;
    BatchMemory memory;
    memory.batch = batch_of(graph);
    memory.profile = memory_profile_of(graph, execution);
    memory.at = place_of_peak(graph, memory.profile);
    memory.inference = footprint_of(for_inference(graph), answering).peak;
    return memory;
}

std::optional<Bytes> bytes_per_image(std::span<const BatchMemory> batches) {
    if (batches.size() < 2) {
        return std::nullopt;
    }
    const BatchMemory& last = batches.back();
    const BatchMemory& before = batches[batches.size() - 2];
    const auto images = static_cast<double>(last.batch - before.batch);
    return images > 0
               ? std::optional((last.profile.peak.sum() - before.profile.peak.sum()) / images)
               : std::nullopt;
}

std::string place_of_peak(const Graph& graph, const MemoryProfile& profile) {
    return profile.at
               ? graph.layers[profile.at->layer].name + " " + std::string(name_of(profile.at->pass))
               : std::string();
}

}  // namespace strata
