// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <initializer_list>

namespace strata {

// The name of a layer's result where no other was chosen: the layer's own, then "name.1" and so on.
std::string result_name(const std::string& layer, std::size_t index);

// Makes a graph layer by layer, inferring every shape and creating the parameters that an operator
// asks for ("conv1.weight", "conv1.bias").
class GraphBuilder {
public:
    explicit GraphBuilder(std::string name);

    TensorId input(std::string name, Tensor tensor, Role role = Role::input);
    TensorId constant(std::string name, Tensor tensor, Role role,
                      std::optional<TensorData> data = {});

    // Appends a layer over activations; returns its first output, named as the layer. Throws Error
    // that names the layer where shapes do not fit.
    TensorId add(std::string name, Op op, std::initializer_list<TensorId> activations);
    TensorId add(std::string name, Op op, std::span<const TensorId> activations);

    // These activations, followed by the operands that a layer of this name needs, which are
    // created.
    std::vector<TensorId> complete(const std::string& name, const Op& op,
                                   std::span<const TensorId> activations);

    // Appends a layer all of whose operands exist already.
    TensorId add_with_operands(std::string name, Op op, std::vector<TensorId> operands);

    // Appends a layer whose results the caller names and shapes: the only way for an opaque
    // operator, which has no shape rule. `finish` checks the shapes of the others.
    std::vector<TensorId> place(std::string name, Op op, std::vector<TensorId> operands,
                                std::vector<GraphTensor> results);

    const Tensor& tensor(TensorId id) const { return graph_.tensors[id].tensor; }
    const std::string& name(TensorId id) const { return graph_.tensors[id].name; }

    // The finished, validated graph. Without an explicit list, the tensors nothing reads are
    // outputs.
    Graph finish(std::vector<TensorId> outputs = {});

private:
    TensorId append(GraphTensor tensor);

    Graph graph_;
};

}  // namespace strata
