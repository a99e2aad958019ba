// SPDX-License-Identifier: MIT
#include "networks/onnx/node/assembly.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/builder.h"

#include <fmt/format.h>
#include <utility>

namespace strata {

std::string UniqueNames::claim(std::string_view wanted) {
    const std::string base = wanted.empty() ? "unnamed" : printable(wanted, max_name);
    std::string name = base;
    while (!taken_.insert(name).second) {
        const int count = ++counts_.try_emplace(base, 1).first->second;
        name = fmt::format("{}_{}", base, count);
    }
    return name;
}

const Value* Assembly::find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
}

void Assembly::expect(std::size_t tensors, std::size_t layers) {
    values_.reserve(tensors);
    tensor_names_.expect(tensors);
    layer_names_.expect(layers);
    graph.tensors.reserve(tensors);
    graph.layers.reserve(layers);
}

TensorId Assembly::add_tensor(std::string_view name, Tensor tensor, Role role,
                              std::optional<TensorData> data) {
    graph.tensors.push_back({.name = tensor_names_.claim(name),
                             .tensor = std::move(tensor),
                             .role = role,
                             .data = std::move(data)});
    return graph.tensors.size() - 1;
}

// (The tensor may have been undone since, and another one may have its id.)
std::optional<TensorId> Assembly::same_parameter(const Constant& constant) const {
    const auto found = parameters_.find(constant.data.bytes.data());
    if (found == parameters_.end() || found->second >= graph.tensors.size()) {
        return std::nullopt;
    }
    const GraphTensor& one = graph.tensors[found->second];
    const bool is_same = one.role == Role::parameter && one.tensor == constant.tensor && one.data &&
                         one.data->bytes.data() == constant.data.bytes.data() &&
                         one.data->bytes.size() == constant.data.bytes.size() &&
                         one.data->order == constant.data.order;
    return is_same ? std::optional(found->second) : std::nullopt;
}

TensorId Assembly::add_constant(std::string_view name, Constant constant, Role role) {
    const std::byte* const elements = constant.data.bytes.data();
    const bool may_be_shared = role == Role::parameter && !is_uniform(constant);
    if (const auto same = may_be_shared ? same_parameter(constant) : std::nullopt) {
        return *same;
    }
    const TensorId added =
        add_tensor(name, std::move(constant.tensor), role, std::move(constant.data));
    if (may_be_shared) {
        parameters_[elements] = added;
    }
    return added;
}

TensorId Assembly::operand(std::string_view name, Role role) {
    Value& known = value(name);
    if (!known.tensor) {
        check(known.constant.has_value(), "a value without a tensor is a constant");
        known.tensor = add_constant(name, *known.constant, known.role.value_or(role));
    }
    return *known.tensor;
}

TensorId Assembly::add_layer(std::string_view name, Op op, std::vector<TensorId> operands,
                             std::string_view output) {
    const std::string named(output);
    return add_layer(name, std::move(op), std::move(operands), std::span(&named, 1)).at(0);
}

std::vector<TensorId> Assembly::add_layer(std::string_view name, Op op,
                                          std::vector<TensorId> operands,
                                          std::span<const std::string> outputs) {
    std::vector<Tensor> tensors;
    tensors.reserve(operands.size());
    for (TensorId id : operands) {
        tensors.push_back(tensor(id));
    }
    std::vector<TensorId> results;
    for (Tensor& result : outputs_of(op, tensors)) {
        const std::size_t i = results.size();
        const bool is_named = i < outputs.size() && !outputs[i].empty();
        results.push_back(add_tensor(is_named ? outputs[i] : result_name(std::string(name), i),
                                     std::move(result), Role::activation));
    }
    graph.layers.push_back({.name = layer_names_.claim(name),
                            .op = std::move(op),
                            .inputs = std::move(operands),
                            .outputs = results});
    return results;
}

void Assembly::roll_back(AssemblyMark mark, std::span<const std::string_view> touched) {
    for (std::size_t id = mark.tensors; id < graph.tensors.size(); ++id) {
        tensor_names_.release(graph.tensors[id].name);
    }
    for (std::size_t id = mark.layers; id < graph.layers.size(); ++id) {
        layer_names_.release(graph.layers[id].name);
    }
    for (const std::string_view name : touched) {
        Value& kept = value(name);
        kept.tensor = kept.tensor && *kept.tensor >= mark.tensors ? std::nullopt : kept.tensor;
    }
    graph.tensors.resize(mark.tensors);
    graph.layers.resize(mark.layers);
}

void Assembly::add_opaque(std::string_view name, Opaque op, std::vector<TensorId> operands,
                          std::vector<TensorId> outputs) {
    graph.layers.push_back({.name = layer_names_.claim(name),
                            .op = std::move(op),
                            .inputs = std::move(operands),
                            .outputs = std::move(outputs)});
}

}  // namespace strata
