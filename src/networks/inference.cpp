// SPDX-License-Identifier: MIT
#include "networks/network.h"

#include <algorithm>

namespace strata {

namespace {

constexpr std::string_view softmax_name = "softmax";

bool is_trailing_loss(const Layer& layer, const std::vector<std::vector<LayerId>>& consumers) {
    return std::holds_alternative<SoftmaxCrossEntropy>(layer.op) &&
           consumers[layer.outputs[0]].empty();
}

bool is_free_name(const Graph& graph) {
    return std::ranges::find(graph.layers, softmax_name, &Layer::name) == graph.layers.end() &&
           std::ranges::find(graph.tensors, softmax_name, &GraphTensor::name) ==
               graph.tensors.end();
}

// A layer that is no longer a loss is renamed, unless the better name is taken.
void replace_loss(Graph& graph, Layer& layer) {
    GraphTensor& result = graph.tensors[layer.outputs[0]];
    if (is_free_name(graph)) {
        layer.name = softmax_name;
        result.name = softmax_name;
    }
    layer.op = Softmax{.axis = 1};
    layer.inputs.resize(1);
    result.tensor = graph.tensors[layer.inputs[0]].tensor;
}

}  // namespace

Graph for_inference(Graph graph) {
    const auto consumers = consumers_of(graph);
    bool changed = false;
    for (Layer& layer : graph.layers) {
        if (is_trailing_loss(layer, consumers)) {
            replace_loss(graph, layer);
            changed = true;
        }
    }
    return changed ? slice(graph, "*") : graph;  // drops labels that nothing reads
}

}  // namespace strata
