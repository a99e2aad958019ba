// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace strata {

// One layer's pass, in the order of execution.
struct Task {
    LayerId layer = 0;
    Pass pass = Pass::forward;

    auto operator<=>(const Task&) const = default;
};

// The purpose of a step: a layer's own pass, or work that the engine must add around it.
enum class StepKind {
    compute,     // the pass itself
    reorder,     // a change of layout or element type between two steps
    accumulate,  // the sum of gradients of a tensor that several layers read
};
inline constexpr std::array<std::string_view, 3> names_of(StepKind) {
    return {"compute", "reorder", "accumulate"};
}

// The order in which a graph is executed, and which gradients are needed.
//
// Inference: every layer forward. Training: every layer forward, then in reverse order each layer's
// backward_weights, backward_data (only if a gradient is needed upstream; before the weights' if
// they depend on it, BackwardReads::data_before_weights) and update. A layer's update follows
// immediately, so a weight's gradient lives for one layer only.
//
// Gradients start at each SoftmaxCrossEntropy; in a network without one, at each output. A gradient
// does not pass an opaque layer or a loss: the results of such a layer are treated as inputs, and
// what an opaque layer reads receives a gradient from outside, so that the rest of the network is
// still exercised.
struct Schedule {
    std::vector<Task> tasks;
    // By tensor: some pass computes or receives d(loss)/d(tensor).
    std::vector<bool> needs_gradient;
    // By tensor: its gradient comes from outside, and no layer computes a part of it. An output
    // that also receives a gradient from layers that read it is not among them.
    std::vector<bool> gradient_given;
    // By parameter: the layer whose update changes it. If several layers read it, that is the first
    // of them, the last in the backward pass; the others' gradients are accumulated until then.
    std::vector<std::optional<LayerId>> updated_by;
};

Schedule schedule_of(const Graph& graph, const Execution& execution);

// A task, or the sum that follows it: the first layer that passes a gradient to a tensor writes it,
// the others add to it.
struct ScheduledStep {
    Task task;
    std::optional<TensorId> summed = {};  // for a sum: the tensor whose gradient it is
};
std::vector<ScheduledStep> steps_of(const Graph& graph, const Schedule& schedule);

// Which tensors share memory: for each tensor, the one that owns its memory, usually itself. An
// owner owns itself and is computed before the tensors that share with it.
struct Sharing {
    std::vector<TensorId> value;
    std::vector<TensorId> gradient;  // like value, but only for gradients neither summed nor given
};

Sharing sharing_of(const Graph& graph, const Execution& execution);
Sharing sharing_of(const Graph& graph, const Execution& execution, const Schedule& schedule);

// Whether a layer's output shares its input's memory in this execution: reshapes always, dropout in
// inference; activations and mathematical functions if nothing else reads the input and no backward
// pass needs it. If memory is kept, only reshapes share it. `sharing_of` returns it for all layers
// at once.
bool runs_in_place(const Graph& graph, const Layer& layer, const Execution& execution);

}  // namespace strata
