// SPDX-License-Identifier: MIT
#include "graph/onnx/import_node.h"

#include "base/error.h"
#include "base/text.h"
#include "graph/onnx/convert/converters.h"
#include "graph/onnx/fold/folders.h"

#include <fmt/format.h>

namespace strata {

namespace {

// The shape and type that the file states for a tensor that nothing here computes.
std::optional<Tensor> stated_tensor(const ModelImport& import, std::string_view name) {
    const auto found = import.stated.find(name);
    if (found == import.stated.end() || !found->second->is_tensor) {
        return std::nullopt;
    }
    const auto dims = import.extents.of_stated(*found->second);
    const auto dtype = data_type_of(found->second->element_type);
    if (!dims || !dtype) {
        return std::nullopt;
    }
    require_sane(*dims);
    return Tensor{*dims, *dtype};
}

// A tensor of unknown shape counts no elements.
const Tensor unknown_tensor{.dims = {0}, .dtype = DataType::f32};

// Why an input keeps a node from being understood; empty: none does.
std::string unknown_input(ModelImport& import, const OrderedNode& node) {
    for (std::string_view name : node.reads) {
        const Value& value = import.assembly.value(name);
        if (!value.unknown.empty()) {
            return value.unknown;
        }
    }
    return {};
}

// The tensors of what a node reads, as far as the graph has such.
std::vector<TensorId> known_operands(ModelImport& import, const OrderedNode& ordered) {
    std::vector<TensorId> operands;
    for (std::string_view name : ordered.reads) {
        const Value& value = import.assembly.value(name);
        if (value.constant || value.tensor) {
            operands.push_back(import.assembly.operand(name, Role::constant));
        }
    }
    return operands;
}

void add_opaque(ModelImport& import, const OrderedNode& ordered, const std::string& reason) {
    // Of a chain of unknown shapes the first link is the one to know.
    std::string unknown = unknown_input(import, ordered);
    if (unknown.empty()) {
        unknown = fmt::format("the shape of what {} gives is not stated", describe(*ordered.node));
    }
    std::vector<TensorId> outputs;
    for (std::string_view name : ordered.node->outputs) {
        if (name.empty()) {
            continue;
        }
        const auto tensor = stated_tensor(import, name);
        Value& value = import.assembly.value(name);
        value.unknown = tensor ? "" : unknown;
        value.tensor =
            import.assembly.add_tensor(name, tensor.value_or(unknown_tensor), Role::activation);
        outputs.push_back(*value.tensor);
    }
    import.assembly.add_opaque(NodeImport(import, *ordered.node).name(),
                               {.foreign_type = printable(ordered.node->op_type), .reason = reason},
                               known_operands(import, ordered), std::move(outputs));
}

// Computes a node over constants; false where it is none that folds.
bool fold(ModelImport& import, const OnnxNode& node) {
    const NodeImport one(import, node);
    const Folder folder = find_folder(node.op_type);
    if (!folder || node.outputs.size() != 1) {
        return false;
    }
    bool by_initializer = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        if (one.has_input(i) && !one.constant(i) && !folds_by_shape(node.op_type)) {
            return false;
        }
        by_initializer |= import.assembly.value(node.inputs[i]).is_initializer;
    }
    auto constant = folder(one);
    if (!constant) {
        return false;
    }
    Value& value = import.assembly.value(node.outputs[0]);
    value.constant = std::move(constant);
    value.is_initializer = by_initializer;
    return true;
}

void convert(ModelImport& import, const OrderedNode& ordered) {
    const OnnxNode& node = *ordered.node;
    if (const std::string reason = unknown_input(import, ordered); !reason.empty()) {
        throw Unsupported{reason};
    }
    if (!is_default_domain(node.domain)) {
        throw Unsupported{fmt::format("domain '{}' is not known", printable(node.domain))};
    }
    if (fold(import, node)) {
        return;
    }
    const Converter* converter = find_converter(node.op_type);
    if (!converter) {
        throw Unsupported{"this operator is not known"};
    }
    const NodeImport one(import, node);
    one.require_single_output();
    if (converter->elements == Elements::floating && !is_floating(one.input(0).dtype)) {
        throw Unsupported{"arithmetic on integers is known for shapes only"};
    }
    converter->convert(one);
}

// Why a node cannot be expressed; nothing where it has been.
std::optional<std::string> refusal(ModelImport& import, const OrderedNode& node) {
    try {
        convert(import, node);
        return std::nullopt;
    } catch (const Unsupported& unsupported) {
        return unsupported.reason;
    }
}

}  // namespace

void import_node(ModelImport& import, const OrderedNode& node) {
    try {
        if (const auto reason = refusal(import, node)) {
            add_opaque(import, node, *reason);
        }
    } catch (const Error& error) {
        throw Error(
            fmt::format("{}: {}: {}", quoted_name(import.file), describe(*node.node), error.what()),
            error.code());
    }
}

}  // namespace strata
