// SPDX-License-Identifier: MIT
#include "backend/gradients.h"

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

std::vector<std::vector<bool>> first_gradients(const Graph& graph, const Schedule& schedule) {
    std::vector<bool> filled(graph.tensors.size());
    std::vector<std::vector<bool>> first;
    for (const Task& task : schedule.tasks) {
        first.push_back(gradient_operands(graph, schedule, task));
        for (std::size_t i = 0; i < first.back().size(); ++i) {
            const TensorId tensor = graph.layers[task.layer].inputs[i];
            const bool receives = first.back()[i];
            first.back()[i] = receives && !filled[tensor];
            filled[tensor] = filled[tensor] || receives;
        }
    }
    return first;
}

std::vector<TensorId> updated_parameters(const Graph& graph, const Schedule& schedule,
                                         LayerId layer) {
    std::vector<TensorId> parameters;
    for (const TensorId tensor : graph.layers[layer].inputs) {
        if (schedule.updated_by[tensor] == layer) {
            parameters.push_back(tensor);
        }
    }
    return parameters;
}

}  // namespace strata
