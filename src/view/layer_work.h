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

// One layer as `show` tells it.
struct LayerWork {
    std::vector<Dims> inputs;  // of the activations
    Dims output;               // of the first result
    std::int64_t parameters = 0;
    // Those scheduled, without the forward pass of an opaque layer whose work is not known.
    std::array<std::optional<PassWork>, all_passes.size()> passes;
};

// A network as `show` tells it: layers as Graph::layers, and their sums.
struct NetworkWork {
    std::vector<LayerWork> layers;
    std::int64_t parameters = 0;  // each counted once, however many layers share it
    // Each pass; nothing where no work is known and some is missing.
    std::array<std::optional<PassWork>, all_passes.size()> passes;
    std::int64_t uncounted = 0;  // layers whose work is not known: the sums are at least so much
    Footprint training;
    Footprint inference;
    Bytes caffe_data;
};

NetworkWork work_of(const Graph& graph, const Convention& convention, const Execution& execution);

}  // namespace strata
