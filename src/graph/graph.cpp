// SPDX-License-Identifier: MIT
#include "graph/graph.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

namespace {

// Extents and type of a layer's operands, in the operator's order.
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

}  // namespace strata
