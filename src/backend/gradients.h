// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"

#include <vector>

namespace strata {

// Which operands of a layer receive a gradient from one of its tasks: activations from
// backward_data, parameters from backward_weights, each only if the schedule needs it. None for
// other passes.
std::vector<bool> gradient_operands(const Graph& graph, const Schedule& schedule, const Task& task);

// For each task and operand, whether its gradient is the first contribution to its tensor in an
// iteration. The first replaces the last iteration's gradient; later ones are added to it.
std::vector<std::vector<bool>> first_gradients(const Graph& graph, const Schedule& schedule);

// The parameters that a layer's update changes.
std::vector<TensorId> updated_parameters(const Graph& graph, const Schedule& schedule,
                                         LayerId layer);

}  // namespace strata
