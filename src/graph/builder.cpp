// SPDX-License-Identifier: MIT
#include "graph/builder.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// Calls a function of a layer's operator; prepends the layer's name to its errors.
template <class Call>
auto naming(const std::string& layer, Call&& call) {
    try {
        return call();
    } catch (const Error& error) {
        throw Error(fmt::format("layer \"{}\": {}", printable(layer), error.what()), error.code());
    }
}

std::vector<Tensor> tensors_of(const Graph& graph, std::span<const TensorId> ids) {
    std::vector<Tensor> tensors;
    tensors.reserve(ids.size());
    for (const TensorId id : ids) {
        tensors.push_back(graph.tensors[id].tensor);
    }
    return tensors;
}

}  // namespace

std::string result_name(const std::string& layer, std::size_t index) {
    return index == 0 ? layer : fmt::format("{}.{}", layer, index);
}

GraphBuilder::GraphBuilder(std::string name) {
    graph_.name = std::move(name);
}

TensorId GraphBuilder::append(GraphTensor tensor) {
    const TensorId id = graph_.tensors.size();
    if (tensor.role == Role::input || tensor.role == Role::label) {
        graph_.inputs.push_back(id);
    }
    graph_.tensors.push_back(std::move(tensor));
    return id;
}

TensorId GraphBuilder::input(std::string name, Tensor tensor, Role role) {
    check(role == Role::input || role == Role::label, "an input is data or labels");
    return append({std::move(name), std::move(tensor), role, {}});
}

TensorId GraphBuilder::constant(std::string name, Tensor tensor, Role role,
                                std::optional<TensorData> data) {
    check(role != Role::activation, "layers compute the activations");
    return append({std::move(name), std::move(tensor), role, std::move(data)});
}

TensorId GraphBuilder::add(std::string name, Op op, std::initializer_list<TensorId> activations) {
    return add(std::move(name), std::move(op), std::span(activations.begin(), activations.size()));
}

TensorId GraphBuilder::add(std::string name, Op op, std::span<const TensorId> activations) {
    auto operands = complete(name, op, activations);
    return add_with_operands(std::move(name), std::move(op), std::move(operands));
}

std::vector<TensorId> GraphBuilder::complete(const std::string& name, const Op& op,
                                             std::span<const TensorId> activations) {
    std::vector<TensorId> operands(activations.begin(), activations.end());
    const auto asked =
        naming(name, [&] { return parameters_of(op, tensors_of(graph_, activations)); });
    for (const ParameterShape& shape : asked) {
        operands.push_back(append({name + "." + shape.name, shape.tensor, shape.role}));
    }
    return operands;
}

TensorId GraphBuilder::add_with_operands(std::string name, Op op, std::vector<TensorId> operands) {
    const auto results = naming(name, [&] { return outputs_of(op, tensors_of(graph_, operands)); });
    check(!results.empty(), "an operator without a shape rule is added with its results");
    std::vector<GraphTensor> named;
    for (const Tensor& result : results) {
        named.push_back({result_name(name, named.size()), result, Role::activation});
    }
    return place(std::move(name), std::move(op), std::move(operands), std::move(named)).at(0);
}

std::vector<TensorId> GraphBuilder::place(std::string name, Op op, std::vector<TensorId> operands,
                                          std::vector<GraphTensor> results) {
    std::vector<TensorId> outputs;
    for (GraphTensor& result : results) {
        check(result.role == Role::activation, "layers compute activations");
        outputs.push_back(append(std::move(result)));
    }
    graph_.layers.push_back({std::move(name), std::move(op), std::move(operands), outputs});
    return outputs;
}

Graph GraphBuilder::finish(std::vector<TensorId> outputs) {
    graph_.outputs = std::move(outputs);
    if (graph_.outputs.empty()) {
        const auto consumers = consumers_of(graph_);
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (graph_.tensors[id].role == Role::activation && consumers[id].empty()) {
                graph_.outputs.push_back(id);
            }
        }
    }
    validate(graph_);
    return std::move(graph_);
}

}  // namespace strata
