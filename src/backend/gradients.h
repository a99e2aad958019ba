// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"

#include <vector>

namespace strata {

// Which operands of a layer receive a gradient from one of its backward tasks: activations from
// backward_data, parameters from backward_weights, each only where the schedule needs it.
std::vector<bool> gradient_operands(const Graph& graph, const Schedule& schedule, const Task& task);

// Whether a tensor receives a gradient from outside (`output_gradient`): the outputs of a network
// without a loss.
bool receives_outside_gradient(const Graph& graph, const Schedule& schedule, TensorId tensor);

// For each task and operand, whether the gradient it computes is the first that its tensor receives
// in an iteration: earlier content is replaced, later gradients are added. A weight's gradient starts
// anew after each of its updates.
std::vector<std::vector<bool>> first_gradients(const Graph& graph, const Schedule& schedule);

}  // namespace strata
