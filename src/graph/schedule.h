// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

#include <vector>

namespace strata {

// One layer's pass, in the order of execution.
struct Task {
    LayerId layer = 0;
    Pass pass = Pass::forward;

    bool operator==(const Task&) const = default;
};

// The order in which a graph is executed and what of it is needed.
//
// Inference: every layer forward. Training: every layer forward, then in reverse order each layer's
// backward_weights, backward_data (only where a gradient is wanted upstream) and update. A layer's
// update follows at once, so a weight's gradient lives for one layer only. A network without a loss
// receives a gradient from outside at each output.
struct Schedule {
    std::vector<Task> tasks;
    std::vector<bool>
        needs_gradient;  // by tensor: some pass computes or receives d(loss)/d(tensor)
};

Schedule schedule_of(const Graph& graph, const Execution& execution);

// Whether a layer's output may share its input's memory in this execution: reshapes always, a
// dropout of inference; ReLU-like layers where nobody else reads the input and no backward pass
// needs it.
bool runs_in_place(const Graph& graph, const Layer& layer, const Execution& execution);

}  // namespace strata
