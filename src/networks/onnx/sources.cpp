// SPDX-License-Identifier: MIT
#include "networks/onnx/sources.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

namespace strata {

namespace {

// The role that a file states for an initializer; nothing if it states none, or one that an
// initializer cannot have.
std::optional<Role> role_of_weight(std::string_view stated) {
    const auto role = parse_role(stated);
    const bool fits = role == Role::parameter || role == Role::statistic || role == Role::constant;
    return fits ? role : std::nullopt;
}

// Unused initializers are not examined.
void add_initializers(ModelImport& import) {
    std::unordered_set<std::string_view> inputs;
    for (const OnnxValueInfo& input : import.model.graph->inputs) {
        inputs.insert(input.name);
    }
    for (const OnnxNamedMessage& named : import.model.graph->initializers) {
        if (!import.used.contains(named.name) && !inputs.contains(named.name)) {
            continue;
        }
        const OnnxTensor tensor = parse_onnx_tensor(named.message);
        Value& value = import.assembly.value(tensor.name);
        value.is_initializer = true;
        value.role = role_of_weight(tensor.role);
        if (data_type_of(tensor.data_type)) {
            value.constant = import.constants.read(tensor);
        } else {
            value.unknown = fmt::format("'{}' has elements of type {}", printable(tensor.name),
                                        onnx_type_name(tensor.data_type));
        }
    }
    for (std::string_view name : import.model.graph->sparse_initializers) {
        import.assembly.value(name).unknown = fmt::format("'{}' is sparse", printable(name));
    }
}

void add_input(ModelImport& import, const OnnxValueInfo& input) {
    Value& value = import.assembly.value(input.name);
    const auto known = import.options.values.find(std::string(input.name));
    if (known != import.options.values.end()) {
        value.constant = known->second;
        return;
    }
    const auto dtype = data_type_of(input.element_type);
    if (!input.is_tensor || !dtype) {
        value.unknown = fmt::format("input '{}' is not a tensor of numbers", printable(input.name));
        return;
    }
    const Tensor tensor{import.extents.of_input(input), *dtype};
    try {
        require_sane(tensor.dims);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: input '{}': {}", quoted_name(import.file),
                                printable(input.name), error.what()));
    }
    const Role role = input.role == name_of(Role::label) ? Role::label : Role::input;
    value.tensor = import.assembly.add_tensor(input.name, tensor, role);
    import.assembly.graph.inputs.push_back(*value.tensor);
}

void add_inputs(ModelImport& import) {
    for (const OnnxValueInfo& input : import.model.graph->inputs) {
        if (!import.assembly.value(input.name).is_initializer) {
            add_input(import, input);
        }
    }
    import.extents.require_all_used();
}

void note_stated_shapes(ModelImport& import) {
    for (const OnnxValueInfo& info : import.model.graph->value_infos) {
        import.stated.emplace(info.name, &info);
    }
    for (const OnnxValueInfo& info : import.model.graph->outputs) {
        import.stated.emplace(info.name, &info);
    }
}

void note_used_names(ModelImport& import, std::span<const OrderedNode> nodes) {
    for (const OrderedNode& node : nodes) {
        import.used.insert(node.reads.begin(), node.reads.end());
    }
    for (const OnnxValueInfo& output : import.model.graph->outputs) {
        import.used.insert(output.name);
    }
}

}  // namespace

void add_sources(ModelImport& import, std::span<const OrderedNode> nodes) {
    note_used_names(import, nodes);
    import.assembly.expect(import.used.size() + nodes.size(), nodes.size());
    add_initializers(import);
    add_inputs(import);
    note_stated_shapes(import);
}

}  // namespace strata
