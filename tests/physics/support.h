// SPDX-License-Identifier: MIT
#pragma once

#include "networks/network.h"
#include "op/convention.h"

#include <gtest/gtest.h>

#include <functional>

namespace strata {

inline Graph zoo_graph(std::string_view name, std::int64_t batch = 1) {
    return find_zoo_network(name).build(batch);
}

inline const Layer& layer_of(const Graph& graph, std::string_view name) {
    for (const Layer& layer : graph.layers) {
        if (layer.name == name) {
            return layer;
        }
    }
    throw std::runtime_error("no layer " + std::string(name));
}

// Operations of one layer's pass, counted by a convention.
inline double operations_of(const Graph& graph, const Layer& layer,
                            std::string_view convention = "multiply-add-2",
                            Pass pass = Pass::forward) {
    return count(layer.op, signature_of(graph, layer), pass, find_convention(convention)).value;
}

inline double operations_of(const Graph& graph, std::string_view layer,
                            std::string_view convention = "multiply-add-2") {
    return operations_of(graph, layer_of(graph, layer), convention);
}

// Elements that a layer computes.
inline double outputs_of(const Graph& graph, const Layer& layer) {
    return static_cast<double>(graph.tensors[layer.outputs.at(0)].tensor.elements());
}

using LayerFilter = std::function<bool(const Layer&)>;

// The sum of `value` over the chosen layers.
inline double sum_over(const Graph& graph, const LayerFilter& chosen,
                       const std::function<double(const Layer&)>& value) {
    double sum = 0;
    for (const Layer& layer : graph.layers) {
        sum += chosen(layer) ? value(layer) : 0;
    }
    return sum;
}

template <class Operator>
bool is(const Layer& layer) {
    return std::holds_alternative<Operator>(layer.op);
}

}  // namespace strata
