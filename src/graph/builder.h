// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <initializer_list>
#include <utility>

namespace strata {

// The default names of a layer's results: the layer's own, then "name.1" and so on.
std::string result_name(const std::string& layer, std::size_t index);

// Receives a network layer by layer: a GraphBuilder makes a graph of it, an OutlineBuilder
// (graph/outline.h) only what its time depends on.
class LayerSink {
public:
    virtual ~LayerSink() = default;
    virtual TensorId input(std::string name, Tensor tensor, Role role) = 0;
    virtual TensorId constant(std::string name, Tensor tensor, Role role,
                              std::optional<TensorData> data) = 0;
    // Appends a layer over activations; returns its first output. Throws Error if shapes do not
    // fit.
    virtual TensorId add(std::string name, Op op, std::span<const TensorId> activations) = 0;
    virtual const Tensor& tensor(TensorId id) const = 0;
};

// Builds a graph layer by layer, inferring every shape and creating the parameters that an operator
// requests ("conv1.weight", "conv1.bias").
class GraphBuilder final : public LayerSink {
public:
    explicit GraphBuilder(std::string name);

    TensorId input(std::string name, Tensor tensor, Role role) override;
    TensorId input(std::string name, Tensor tensor) {
        return input(std::move(name), std::move(tensor), Role::input);
    }
    TensorId constant(std::string name, Tensor tensor, Role role,
                      std::optional<TensorData> data) override;
    TensorId constant(std::string name, Tensor tensor, Role role) {
        return constant(std::move(name), std::move(tensor), role, {});
    }

    // The first output gets the layer's name, and an Error names the layer.
    TensorId add(std::string name, Op op, std::span<const TensorId> activations) override;
    TensorId add(std::string name, Op op, std::initializer_list<TensorId> activations);

    // These activations, followed by the other operands that the layer needs, which are created
    // under its name.
    std::vector<TensorId> complete(const std::string& name, const Op& op,
                                   std::span<const TensorId> activations);

    // Appends a layer all of whose operands exist already.
    TensorId add_with_operands(std::string name, Op op, std::vector<TensorId> operands);

    // Appends a layer whose results the caller names and shapes: the only way for an opaque
    // operator, which has no shape rule. `finish` checks the shapes of all other operators.
    std::vector<TensorId> place(std::string name, Op op, std::vector<TensorId> operands,
                                std::vector<GraphTensor> results);

    const Tensor& tensor(TensorId id) const override { return graph_.tensors[id].tensor; }
    const std::string& name(TensorId id) const { return graph_.tensors[id].name; }

    // The finished, validated graph. Without an explicit list, the tensors that nothing reads are
    // outputs.
    Graph finish(std::vector<TensorId> outputs = {});

private:
    TensorId append(GraphTensor tensor);

    Graph graph_;
};

}  // namespace strata
