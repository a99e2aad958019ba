// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory_profile.h"
#include "report/document.h"

#include <array>
#include <span>
#include <vector>

namespace strata {

// A size as people and scripts see it.
template <class Struct>
struct SizeColumn {
    const char* key;
    const char* title;
    Bytes Struct::*bytes;
    Importance importance = Importance::normal;
};

// Of a layer, and of the network's peak.
inline constexpr std::array<SizeColumn<LayerMemory>, 6> memory_columns = {
    {{"parameters_bytes", "parameters", &LayerMemory::parameters},
     {"optimizer_bytes", "optimizer", &LayerMemory::optimizer, Importance::detail},
     {"activations_bytes", "activations", &LayerMemory::activations, Importance::essential},
     {"kept_bytes", "kept", &LayerMemory::kept},
     {"gradients_bytes", "gradients", &LayerMemory::gradients},
     {"at_peak_bytes", "at the peak", &LayerMemory::at_peak, Importance::essential}}};
inline constexpr std::array<SizeColumn<PeakParts>, 5> peak_columns = {
    {{"parameters_bytes", "parameters", &PeakParts::parameters},
     {"optimizer_bytes", "optimizer", &PeakParts::optimizer},
     {"activations_bytes", "activations", &PeakParts::activations},
     {"gradients_bytes", "gradients", &PeakParts::gradients},
     {"saved_bytes", "masks and indices", &PeakParts::saved}}};

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
