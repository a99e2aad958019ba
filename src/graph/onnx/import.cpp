// SPDX-License-Identifier: MIT
#include "graph/onnx/import.h"

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "graph/onnx/convert/converters.h"
#include "graph/onnx/fold/folders.h"
#include "graph/onnx/node_import.h"
#include "graph/onnx/order.h"

#include <fmt/format.h>
#include <algorithm>

namespace strata {

namespace {

constexpr std::int64_t oldest_opset = 7;
constexpr std::int64_t newest_opset = 22;

std::string quoted(const WireFile& file) {
    return fmt::format("'{}'", printable(file.name, 400));
}

std::int64_t default_opset(const OnnxModel& model, const WireFile& file) {
    std::int64_t version = 0;
    for (const auto& [domain, stated] : model.opsets) {
        version = is_default_domain(domain) ? stated : version;
    }
    if (version < oldest_opset || version > newest_opset) {
        throw Error(fmt::format(
            "{} uses {} of the ONNX operators where {} to {} are known; "
            "convert it with onnx.version_converter",
            quoted(file), version == 0 ? "no stated version" : fmt::format("opset {}", version),
            oldest_opset, newest_opset));
    }
    return version;
}

void add_initializers(ModelImport& import) {
    for (const OnnxTensor& tensor : import.model.graph->initializers) {
        Value& value = import.assembly.value(tensor.name);
        value.is_initializer = true;
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
    const auto dtype = data_type_of(input.element_type);
    if (!input.is_tensor || !dtype) {
        value.unknown = fmt::format("input '{}' is no tensor of numbers", printable(input.name));
        return;
    }
    const Tensor tensor{import.extents.of_input(input), *dtype};
    try {
        tensor.elements();
    } catch (const Error& error) {
        throw Error(fmt::format("{}: input '{}': {}", quoted(import.file), printable(input.name),
                                error.what()));
    }
    value.tensor = import.assembly.add_tensor(input.name, tensor, Role::input);
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

// The shape and type that the file states for a tensor that nothing here computes.
std::optional<Tensor> stated_tensor(const ModelImport& import, std::string_view name) {
    const auto found = import.stated.find(name);
    if (found == import.stated.end() || !found->second->is_tensor) {
        return std::nullopt;
    }
    const auto dims = import.extents.of_stated(*found->second);
    const auto dtype = data_type_of(found->second->element_type);
    return dims && dtype ? std::optional(Tensor{*dims, *dtype}) : std::nullopt;
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
    const Converter converter = find_converter(node.op_type);
    if (!converter) {
        throw Unsupported{"this operator is not known"};
    }
    const NodeImport one(import, node);
    one.require_single_output();
    converter(one);
}

void import_node(ModelImport& import, const OrderedNode& ordered) {
    try {
        convert(import, ordered);
    } catch (const Unsupported& unsupported) {
        add_opaque(import, ordered, unsupported.reason);
    } catch (const Error& error) {
        throw Error(
            fmt::format("{}: {}: {}", quoted(import.file), describe(*ordered.node), error.what()),
            error.code());
    }
}

// A network that answers with a constant still has to write it.
TensorId copy_of_constant(ModelImport& import, std::string_view name) {
    const TensorId constant = import.assembly.operand(name, Role::constant);
    const std::string copy = fmt::format("{}.copy", name);
    try {
        return import.assembly.add_layer(copy, Identity{}, {constant}, copy);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: its output '{}': {}", quoted(import.file), printable(name),
                                error.what()));
    }
}

void add_outputs(ModelImport& import) {
    auto& outputs = import.assembly.graph.outputs;
    for (const OnnxValueInfo& output : import.model.graph->outputs) {
        Value& value = import.assembly.value(output.name);
        if (!value.tensor && !value.constant) {
            throw Error(fmt::format("{}: its output '{}' has no numbers: {}", quoted(import.file),
                                    printable(output.name), value.unknown));
        }
        const TensorId id = value.constant ? copy_of_constant(import, output.name) : *value.tensor;
        if (std::ranges::find(outputs, id) == outputs.end()) {
            outputs.push_back(id);
        }
    }
}

std::string stem_of(const std::string& name) {
    const std::string stem = std::filesystem::path(name).stem().string();
    return printable(stem.empty() ? "model" : stem);
}

}  // namespace

Graph import_onnx(const OnnxSource& source, const OnnxOptions& options) {
    const WireFile file{source.name, source.bytes};
    const OnnxModel model = parse_model(file);
    Extents extents(file, options);
    ConstantReader constants(source.name, source.owner, source.folder);
    ModelImport import{.file = file,
                       .model = model,
                       .opset = default_opset(model, file),
                       .extents = extents,
                       .constants = constants,
                       .assembly = {},
                       .stated = {},
                       .used = {}};
    const auto nodes = execution_order(*model.graph, file);
    import.assembly.graph.name = stem_of(source.name);
    add_initializers(import);
    add_inputs(import);
    note_stated_shapes(import);
    note_used_names(import, nodes);
    for (const OrderedNode& node : nodes) {
        import_node(import, node);
    }
    add_outputs(import);
    validate(import.assembly.graph);
    return std::move(import.assembly.graph);
}

Graph import_onnx(const std::filesystem::path& path, const OnnxOptions& options) {
    const auto file = MappedFile::open(path);
    return import_onnx({.name = path.string(),
                        .bytes = file->bytes(),
                        .owner = file,
                        .folder = path.parent_path().empty() ? "." : path.parent_path()},
                       options);
}

}  // namespace strata
