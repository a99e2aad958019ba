// SPDX-License-Identifier: MIT
#include "graph/executed.h"
#include "graph/plan.h"

#include <algorithm>

namespace strata {

namespace {

template <class Chosen>
Bytes bytes_where(const Graph& graph, const Numerics& numerics, Chosen chosen) {
    Bytes sum;
    for (const GraphTensor& tensor : graph.tensors) {
        sum += chosen(tensor.role) ? held_bytes(tensor, numerics) : Bytes{};
    }
    return sum;
}

// For each task, the total size of the chosen buffers.
template <class Chosen>
std::vector<Bytes> needed_by(std::span<const Buffer> buffers, Chosen chosen) {
    std::vector<Bytes> needed(1);  // at first what begins at a task minus what ended before
    for (const Buffer& buffer : buffers) {
        if (!chosen(buffer.kind)) {
            continue;
        }
        const Lifetime& lifetime = buffer.lifetime;
        needed.resize(std::max(needed.size(), lifetime.last_task + 2));
        needed[lifetime.first_task] += lifetime.size;
        needed[lifetime.last_task + 1] -= lifetime.size;
    }
    for (std::size_t task = 1; task < needed.size(); ++task) {
        needed[task] += needed[task - 1];
    }
    needed.pop_back();
    return needed;
}

// The peak of that total over all tasks.
template <class Chosen>
Bytes worst_moment(std::span<const Buffer> buffers, Chosen chosen) {
    const auto needed = needed_by(buffers, chosen);
    return needed.empty() ? Bytes{} : std::ranges::max(needed);
}

}  // namespace

bool is_persistent(Role role) {
    return role == Role::parameter || role == Role::statistic || role == Role::constant;
}

std::vector<Bytes> needed_by_task(std::span<const Buffer> buffers) {
    return needed_by(buffers, [](BufferKind) { return true; });
}

Footprint footprint_of(const Graph& graph, const Execution& execution) {
    return footprint_of(graph, execution, schedule_of(graph, execution));
}

Footprint footprint_of(const Graph& graph, const Execution& execution, const Schedule& schedule) {
    const auto buffers = lifetimes_of(graph, execution, schedule);
    Footprint footprint;
    footprint.parameters = bytes_where(graph, execution.numerics, is_persistent);
    if (execution.numerics.mode == Mode::training) {
        footprint.optimizer = cost_of(execution.numerics.optimizer).states *
                              bytes_where(graph, execution.numerics,
                                          [](Role role) { return role == Role::parameter; });
    }
    footprint.activations =
        worst_moment(buffers, [](BufferKind kind) { return kind == BufferKind::value; });
    footprint.gradients = worst_moment(buffers, [](BufferKind kind) {
        return kind == BufferKind::gradient || kind == BufferKind::contribution;
    });
    footprint.saved =
        worst_moment(buffers, [](BufferKind kind) { return kind == BufferKind::saved; });
    footprint.peak = footprint.parameters + footprint.optimizer +
                     worst_moment(buffers, [](BufferKind) { return true; });
    return footprint;
}

namespace {

double elements_of(const Graph& graph, TensorId id) {
    return static_cast<double>(graph.tensors[id].tensor.elements());
}

// The elements of the inputs with a role: the top blobs of Caffe's data layers.
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

// Caffe adds a Split layer after each blob that several layers read, with one top per reader.
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

// Whether a layer's result is a separate blob in a typical Caffe training net.
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
