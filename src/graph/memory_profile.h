// SPDX-License-Identifier: MIT
#pragma once

#include "graph/memory.h"

namespace strata {

// The memory of one layer of an execution. A buffer belongs to the layer that computes it, memory
// that several layers share to the first of them, a parameter to the first layer that reads it.
struct LayerMemory {
    Bytes parameters;   // and statistics and constants
    Bytes optimizer;    // what it keeps of the layer's parameters
    Bytes activations;  // results, and the masks and indices that the forward pass leaves behind
    Bytes kept;         // the part that outlives the forward pass, because something reads it
    Bytes gradients;    // of the results, in all contributions, and of the parameters
    Bytes at_peak;      // the part of all this that exists at the worst moment

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

// Memory of one execution by layer and moment. `footprint_of` summarises it: the layers' at_peak
// and that of `outside` add up to its peak.
struct MemoryProfile {
    std::vector<LayerMemory> layers;  // as Graph::layers
    LayerMemory outside;              // what no layer computes: inputs, labels, and their gradients
    LayerMemory total;
    PeakParts peak;
    std::optional<Task> at;  // the first task of those that need the most; nothing without tasks
};

MemoryProfile memory_profile_of(const Graph& graph, const Execution& execution);

}  // namespace strata
