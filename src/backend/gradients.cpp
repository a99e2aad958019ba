// SPDX-License-Identifier: MIT
#include "backend/gradients.h"

#include <algorithm>

namespace strata {

std::vector<bool> gradient_operands(const Graph& graph, const Schedule& schedule,
                                    const Task& task) {
    const Layer& layer = graph.layers[task.layer];
    std::vector<bool> receives(layer.inputs.size());
    if (task.pass == Pass::forward || task.pass == Pass::update) {
        return receives;
    }
    for (std::size_t i = 0; i < receives.size(); ++i) {
        const TensorId tensor = layer.inputs[i];
        const bool is_parameter = graph.tensors[tensor].role == Role::parameter;
        receives[i] = schedule.needs_gradient[tensor] &&
                      is_parameter == (task.pass == Pass::backward_weights);
    }
    return receives;
}

bool receives_outside_gradient(const Graph& graph, const Schedule& schedule, TensorId tensor) {
    const bool has_loss = std::ranges::any_of(graph.layers, [](const Layer& layer) {
        return std::holds_alternative<SoftmaxCrossEntropy>(layer.op);
    });
    return !has_loss && schedule.needs_gradient[tensor] &&
           std::ranges::find(graph.outputs, tensor) != graph.outputs.end();
}

std::vector<std::vector<bool>> first_gradients(const Graph& graph, const Schedule& schedule) {
    std::vector<bool> filled(graph.tensors.size());
    std::vector<std::vector<bool>> first;
    for (const Task& task : schedule.tasks) {
        const Layer& layer = graph.layers[task.layer];
        first.push_back(gradient_operands(graph, schedule, task));
        for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
            const bool received = first.back()[i];
            first.back()[i] = received && !filled[layer.inputs[i]];
            filled[layer.inputs[i]] =
                received || (filled[layer.inputs[i]] && task.pass != Pass::update);
        }
    }
    return first;
}

}  // namespace strata
