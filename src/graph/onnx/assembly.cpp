// SPDX-License-Identifier: MIT
#include "graph/onnx/assembly.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <utility>

namespace strata {

namespace {

constexpr std::size_t max_name = 256;  // bytes; real names of deep exports stay below

}  // namespace

std::string UniqueNames::claim(std::string_view wanted) {
    const std::string base = wanted.empty() ? "unnamed" : printable(wanted, max_name);
    std::string name = base;
    while (!taken_.insert(name).second) {
        const int count = ++counts_.try_emplace(base, 1).first->second;
        name = fmt::format("{}_{}", base, count);
    }
    return name;
}

TensorId Assembly::add_tensor(std::string_view name, Tensor tensor, Role role,
                              std::optional<TensorData> data) {
    graph.tensors.push_back({.name = tensor_names_.claim(name),
                             .tensor = std::move(tensor),
                             .role = role,
                             .data = std::move(data)});
    return graph.tensors.size() - 1;
}

TensorId Assembly::operand(std::string_view name, Role role) {
    Value& known = value(name);
    if (!known.tensor) {
        check(known.constant.has_value(), "a value without a tensor is a constant");
        known.tensor = add_tensor(name, known.constant->tensor, role, known.constant->data);
    }
    return *known.tensor;
}

TensorId Assembly::add_layer(std::string_view name, Op op, std::vector<TensorId> operands,
                             std::string_view output) {
    std::vector<Tensor> tensors;
    for (TensorId id : operands) {
        tensors.push_back(tensor(id));
    }
    const TensorId result = add_tensor(output, outputs_of(op, tensors).at(0), Role::activation);
    graph.layers.push_back({.name = layer_names_.claim(name),
                            .op = std::move(op),
                            .inputs = std::move(operands),
                            .outputs = {result}});
    return result;
}

void Assembly::add_opaque(std::string_view name, Opaque op, std::vector<TensorId> operands,
                          std::vector<TensorId> outputs) {
    graph.layers.push_back({.name = layer_names_.claim(name),
                            .op = std::move(op),
                            .inputs = std::move(operands),
                            .outputs = std::move(outputs)});
}

}  // namespace strata
