// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory.h"

namespace strata {

// The memory of one layer of an execution. A buffer belongs to the layer that computes it, shared
// memory to the first of the layers that share it, a parameter to the first layer that reads it.
struct LayerMemory {
    Bytes parameters;   // including statistics and constants
    Bytes optimizer;    // the optimizer's state for the layer's parameters
    Bytes activations;  // results, masks and indices of the forward pass
    Bytes kept;         // the part that outlives the forward pass because something reads it
    Bytes gradients;    // gradients of results (all contributions) and of parameters
    Bytes at_peak;      // the part of the above that exists at the worst moment

    LayerMemory& operator+=(const LayerMemory& other);
};

// The memory in use at the peak, by purpose; the parts add up to the peak.
struct PeakParts {
    Bytes parameters;
    Bytes optimizer;
    Bytes activations;
    Bytes gradients;
    Bytes saved;  // masks and indices

    Bytes sum() const { return parameters + optimizer + activations + gradients + saved; }
};

// Memory of one execution by layer and moment. The at_peak of all layers and of `outside` add up to
// the peak of `footprint_of`.
struct MemoryProfile {
    std::vector<LayerMemory> layers;  // in the order of Graph::layers
    LayerMemory outside;  // not computed by a layer: inputs, labels, and their gradients
    LayerMemory total;
    PeakParts peak;
    std::optional<Task> at;  // the first task with the highest need; nothing if there are no tasks
};

MemoryProfile memory_profile_of(const Graph& graph, const Execution& execution);

}  // namespace strata
