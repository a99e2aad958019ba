// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"
#include "graph/memory.h"
#include "op/convention.h"

#include <array>
#include <optional>
#include <vector>

namespace strata {

// One pass of a layer, counted.
struct PassWork {
    Flops flops;  // by the convention
    Bytes read;
    Bytes written;
};

// One layer as `show` reports it.
struct LayerWork {
    std::vector<Dims> inputs;  // of the activations
    Dims output;               // of the first result
    std::int64_t parameters = 0;
    // The scheduled passes, except the forward pass of an opaque layer whose work is unknown.
    std::array<std::optional<PassWork>, all_passes.size()> passes;
};

// A network as `show` reports it: layers as in Graph::layers, and their sums.
struct NetworkWork {
    std::vector<LayerWork> layers;
    std::int64_t parameters = 0;  // each counted once, however many layers share it
    // For each pass; empty if no work is known and some is missing.
    std::array<std::optional<PassWork>, all_passes.size()> passes;
    std::int64_t uncounted = 0;  // layers whose work is unknown, which makes the sums lower bounds
    Footprint training;
    Footprint inference;
    Bytes caffe_data;
};

NetworkWork work_of(const Graph& graph, const Convention& convention, const Execution& execution);

}  // namespace strata
