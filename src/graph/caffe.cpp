// SPDX-License-Identifier: MIT
#include "graph/memory.h"

namespace strata {

namespace {

double elements_of(const Graph& graph, TensorId id) {
    return static_cast<double>(graph.tensors[id].tensor.elements());
}

// Of the inputs with a role. They are the top blobs of Caffe's data layers.
double input_elements(const Graph& graph, Role role) {
    double sum = 0;
    for (const TensorId id : graph.inputs) {
        sum += graph.tensors[id].role == role ? elements_of(graph, id) : 0;
    }
    return sum;
}

double output_elements(const Graph& graph, const Layer& layer) {
    double sum = 0;
    for (const TensorId id : layer.outputs) {
        sum += elements_of(graph, id);
    }
    return sum;
}

// Caffe puts a Split layer behind each blob that several layers read, with a top for each.
double split_elements(const Graph& graph) {
    double sum = 0;
    const auto consumers = consumers_of(graph);
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
        const Role role = graph.tensors[id].role;
        const bool is_blob = role == Role::activation || role == Role::input || role == Role::label;
        const std::size_t readers = consumers[id].size();
        sum += is_blob && readers > 1 ? static_cast<double>(readers) * elements_of(graph, id) : 0;
    }
    return sum;
}

// Whether a layer's result is a blob of its own in a training net as one would write it.
bool has_blob(const Op& op) {
    return !std::holds_alternative<Activation>(op) && !std::holds_alternative<Dropout>(op) &&
           !std::holds_alternative<Reshape>(op) && !std::holds_alternative<SoftmaxCrossEntropy>(op);
}

}  // namespace

Bytes caffe_data_bytes(const Graph& graph) {
    double elements = input_elements(graph, Role::input) + input_elements(graph, Role::label) +
                      split_elements(graph);
    for (const Layer& layer : graph.layers) {
        elements += output_elements(graph, layer);
    }
    return {4 * elements};
}

Bytes caffe_training_bytes(const Graph& graph) {
    double elements = input_elements(graph, Role::input);
    for (const Layer& layer : graph.layers) {
        elements += has_blob(layer.op) ? output_elements(graph, layer) : 0;
    }
    return {8 * elements + 12 * static_cast<double>(parameter_count(graph))};
}

}  // namespace strata
