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
    std::array<std::optional<PassWork>, all_passes.size()> passes;  // those scheduled
};

// A network as `show` tells it: layers as Graph::layers, and their sums.
struct NetworkWork {
    std::vector<LayerWork> layers;
    std::int64_t parameters = 0;  // each counted once, however many layers share it
    std::array<PassWork, all_passes.size()> passes;
    Footprint training;
    Footprint inference;
    Bytes caffe_data;
};

NetworkWork work_of(const Graph& graph, const Convention& convention, const Execution& execution);

}  // namespace strata
