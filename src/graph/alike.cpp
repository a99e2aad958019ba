// SPDX-License-Identifier: MIT
#include "graph/alike.h"

#include "base/random.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace strata {

namespace {

std::uint64_t mixed_with(const Graph& graph, const std::vector<TensorId>& ids, std::uint64_t hash) {
    for (const TensorId id : ids) {
        for (const std::int64_t dim : graph.tensors[id].tensor.dims) {
            hash = mix_bits(hash ^ static_cast<std::uint64_t>(dim));
        }
    }
    return hash;
}

bool are_alike(const Graph& graph, const std::vector<TensorId>& a, const std::vector<TensorId>& b) {
    return std::ranges::equal(a, b, [&](TensorId one, TensorId other) {
        return graph.tensors[one].role == graph.tensors[other].role &&
               graph.tensors[one].tensor == graph.tensors[other].tensor;
    });
}

bool are_alike(const Graph& graph, const Layer& a, const Layer& b) {
    return a.op == b.op && are_alike(graph, a.inputs, b.inputs) &&
           are_alike(graph, a.outputs, b.outputs);
}

}  // namespace

Signature executed(Signature signature, DataType dtype) {
    for (Operand& operand : signature.inputs) {
        const bool is_data = operand.role == Role::activation || operand.role == Role::input;
        if (is_data && is_floating(operand.tensor.dtype)) {
            operand.tensor.dtype = dtype;
        }
    }
    for (Tensor& output : signature.outputs) {
        output.dtype = is_floating(output.dtype) ? dtype : output.dtype;
    }
    return signature;
}

std::vector<LayerId> first_alike(const Graph& graph) {
    std::unordered_map<std::uint64_t, std::vector<LayerId>> by_hash;
    std::vector<LayerId> first(graph.layers.size());
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        const Layer& layer = graph.layers[id];
        const std::uint64_t hash = mixed_with(
            graph, layer.outputs, mixed_with(graph, layer.inputs, mix_bits(layer.op.index() + 1)));
        auto& candidates = by_hash[hash];
        const auto found = std::ranges::find_if(candidates, [&](LayerId candidate) {
            return are_alike(graph, graph.layers[candidate], layer);
        });
        first[id] = found == candidates.end() ? id : *found;
        if (found == candidates.end()) {
            candidates.push_back(id);
        }
    }
    return first;
}

}  // namespace strata
