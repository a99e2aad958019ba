// SPDX-License-Identifier: MIT
#include "graph/graph.h"

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace strata {

namespace {

// The extents and types of a layer's operands, in the operator's order.
std::vector<Operand> operands_of(const Graph& graph, const Layer& layer) {
    std::vector<Operand> operands;
    operands.reserve(layer.inputs.size());
    for (const TensorId id : layer.inputs) {
        operands.push_back({graph.tensors[id].tensor, graph.tensors[id].role});
    }
    return operands;
}

}  // namespace

bool is_called(const Layer& layer, std::string_view glob) {
    return matches_glob(glob, layer.name) ||
           (!layer.alias.empty() && matches_glob(glob, layer.alias));
}

Signature signature_of(const Graph& graph, const Layer& layer) {
    Signature signature = {operands_of(graph, layer), {}};
    signature.outputs.reserve(layer.outputs.size());
    for (const TensorId id : layer.outputs) {
        signature.outputs.push_back(graph.tensors[id].tensor);
    }
    return signature;
}

std::vector<std::vector<LayerId>> consumers_of(const Graph& graph) {
    std::vector<std::vector<LayerId>> consumers(graph.tensors.size());
    for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
        for (const TensorId input : graph.layers[layer].inputs) {
            auto& readers = consumers[input];
            if (readers.empty() || readers.back() != layer) {
                readers.push_back(layer);
            }
        }
    }
    return consumers;
}

std::vector<std::optional<LayerId>> producers_of(const Graph& graph) {
    std::vector<std::optional<LayerId>> producers(graph.tensors.size());
    for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
        for (const TensorId output : graph.layers[layer].outputs) {
            producers[output] = layer;
        }
    }
    return producers;
}

std::int64_t batch_of(const Graph& graph) {
    for (const TensorId input : graph.inputs) {
        const Dims& dims = graph.tensors[input].tensor.dims;
        if (graph.tensors[input].role == Role::input) {
            return dims.empty() ? 1 : dims[0];
        }
    }
    return 1;
}

std::int64_t parameter_count(const Graph& graph) {
    std::int64_t count = 0;
    for (const GraphTensor& tensor : graph.tensors) {
        const std::int64_t elements = tensor.role == Role::parameter ? tensor.tensor.elements() : 0;
        if (__builtin_add_overflow(count, elements, &count)) {
            throw Error(
                fmt::format("{}: it has more parameters than can be counted; check the "
                            "shapes of its weights",
                            printable(graph.name)));
        }
    }
    return count;
}

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
