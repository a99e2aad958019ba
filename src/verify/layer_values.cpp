// SPDX-License-Identifier: MIT
#include "verify/layer_values.h"

namespace strata {

namespace {

template <class View>
std::vector<View> views_of(std::vector<HostValues>& values) {
    return {values.begin(), values.end()};
}

std::size_t element_count(const Graph& graph, TensorId tensor) {
    return static_cast<std::size_t>(graph.tensors[tensor].tensor.elements());
}

LayerValues read_inputs(const Layer& layer, const Executable& executable) {
    LayerValues values;
    for (const TensorId tensor : layer.inputs) {
        values.inputs.push_back(executable.read(tensor, Content::value));
    }
    return values;
}

}  // namespace

ReferenceOperands LayerValues::view(const Signature& signature, const Execution& execution) {
    return {signature,
            execution,
            views_of<std::span<const float>>(inputs),
            views_of<std::span<float>>(outputs),
            views_of<std::span<const float>>(output_gradients),
            views_of<std::span<float>>(input_gradients),
            views_of<std::span<float>>(statistics)};
}

LayerValues read_for_forward(const Graph& graph, const Execution& execution, const Layer& layer,
                             const Executable& executable) {
    LayerValues values = read_inputs(layer, executable);
    for (const TensorId tensor : layer.inputs) {
        const bool changes = execution.numerics.mode == Mode::training &&
                             graph.tensors[tensor].role == Role::statistic;
        values.statistics.emplace_back(changes ? element_count(graph, tensor) : 0);
    }
    for (const TensorId tensor : layer.outputs) {
        values.outputs.emplace_back(element_count(graph, tensor));
    }
    return values;
}

LayerValues read_for_backward(const Schedule& schedule, const Layer& layer,
                              const std::vector<bool>& wanted, const Executable& executable) {
    LayerValues values = read_inputs(layer, executable);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        values.input_gradients.emplace_back(wanted[i] ? values.inputs[i].size() : 0);
    }
    for (const TensorId tensor : layer.outputs) {
        values.output_gradients.push_back(schedule.needs_gradient[tensor]
                                              ? executable.read(tensor, Content::gradient)
                                              : HostValues());
    }
    return values;
}

}  // namespace strata
