// SPDX-License-Identifier: MIT
#include "networks/onnx/import.h"
#include "networks/onnx/file/element_type.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "networks/onnx/file/model.h"
#include "networks/onnx/import_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace strata {

namespace {

bool lies_within(const std::filesystem::path& folder, const std::filesystem::path& file) {
    std::error_code none, broken;
    const auto home = std::filesystem::weakly_canonical(folder, none);
    const auto place = std::filesystem::weakly_canonical(file, broken);
    return !none && !broken && std::filesystem::is_regular_file(place, broken) &&
           std::ranges::mismatch(home, place).in1 == home.end();
}

}  // namespace

std::vector<std::filesystem::path> external_files_of(const std::filesystem::path& model) {
    const auto file = MappedFile::open(model);
    const OnnxModel parsed = parse_onnx_model({model.string(), file->bytes()});
    const auto folder = model.has_parent_path() ? model.parent_path() : ".";
    std::vector<std::filesystem::path> files;
    std::set<std::string_view> seen;
    for (const OnnxNamedMessage& named : parsed.graph->initializers) {
        const OnnxTensor tensor = parse_onnx_tensor(named.message);
        for (const auto& [key, value] : tensor.external_data) {
            const bool is_new = tensor.is_external && key == "location" &&
                                value.find('\0') == value.npos && seen.insert(value).second;
            if (is_new && lies_within(folder, folder / std::filesystem::path(value))) {
                files.push_back(folder / std::filesystem::path(value));
            }
        }
    }
    return files;
}

namespace {

// The role that a file states for an initializer; nothing if it states none, or one that an
// initializer cannot have.
std::optional<Role> role_of_weight(std::string_view stated) {
    const auto role = parse_role(stated);
    const bool fits = role == Role::parameter || role == Role::statistic || role == Role::constant;
    return fits ? role : std::nullopt;
}

}  // namespace

void add_initializer(ModelImport& import, const OnnxTensor& tensor, std::string_view name) {
    Value& value = import.assembly.value(name);
    value.is_initializer = true;
    value.role = role_of_weight(tensor.role);
    if (data_type_of(tensor.data_type)) {
        value.constant = import.constants.read(tensor);
    } else {
        value.unknown = fmt::format("'{}' has elements of type {}", printable(tensor.name),
                                    onnx_type_name(tensor.data_type));
    }
}

namespace {

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
        add_initializer(import, parse_onnx_tensor(named.message), named.name);
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

namespace {

constexpr std::int64_t oldest_opset = 7;
constexpr std::int64_t newest_opset = 28;

std::int64_t default_opset(const OnnxModel& model, const WireFile& file) {
    std::int64_t version = 0;
    for (const auto& [domain, stated] : model.opsets) {
        version = is_default_domain(domain) ? stated : version;
    }
    if (version < oldest_opset || version > newest_opset) {
        throw Error(
            fmt::format("{} uses {} of the ONNX operators where {} to {} are known; "
                        "convert it with onnx.version_converter",
                        quoted_name(file),
                        version == 0 ? "no stated version" : fmt::format("opset {}", version),
                        oldest_opset, newest_opset));
    }
    return version;
}

// If the network's result is a constant, a layer must still write it.
TensorId copy_of_constant(ModelImport& import, std::string_view name) {
    const TensorId constant = import.assembly.operand(name, Role::constant);
    const std::string copy = fmt::format("{}.copy", name);
    try {
        return import.assembly.add_layer(copy, Identity{}, {constant}, copy);
    } catch (const Error& error) {
        throw Error(fmt::format("{}: its output '{}': {}", quoted_name(import.file),
                                printable(name), error.what()));
    }
}

void add_outputs(ModelImport& import) {
    auto& outputs = import.assembly.graph.outputs;
    std::unordered_set<TensorId> listed;
    for (const OnnxValueInfo& output : import.model.graph->outputs) {
        Value& value = import.assembly.value(output.name);
        if (!value.tensor && !value.constant) {
            throw Error(fmt::format("{}: its output '{}' has no numbers: {}",
                                    quoted_name(import.file), printable(output.name),
                                    value.unknown));
        }
        if (value.constant && value.constant->tensor.elements() == 0 &&
            import.model.graph->outputs.size() > 1) {
            continue;  // needs no computation
        }
        const TensorId id = value.constant ? copy_of_constant(import, output.name) : *value.tensor;
        if (listed.insert(id).second) {
            outputs.push_back(id);
        }
    }
}

std::string stem_of(const std::string& name) {
    const std::string stem = std::filesystem::path(name).stem().string();
    return printable(stem.empty() ? "model" : stem);
}

// A normalisation folded into a convolution is no longer trained.
void doubt_folded_normalizations(ModelImport& import) {
    const auto folded =
        std::ranges::count_if(import.model.graph->nodes, holds_folded_normalization);
    if (folded > 0) {
        import.assembly.graph.training_doubts.push_back(fmt::format(
            "{} convolution{} of the file absorbed the batch normalisation after {}, which is "
            "right for inference only: its training step is not that of the network; export it for "
            "training (docs/pytorch.md)",
            folded, folded == 1 ? "" : "s", folded == 1 ? "it" : "them"));
    }
}

}  // namespace

Graph import_onnx(const OnnxSource& source, const OnnxOptions& options) {
    const WireFile file{source.name, source.bytes};
    const OnnxModel model = parse_onnx_model(file);
    Extents extents(file, options);
    ConstantReader constants(source.name, source.owner, source.folder);
    ModelImport import{.file = file,
                       .model = model,
                       .opset = default_opset(model, file),
                       .options = options,
                       .extents = extents,
                       .constants = constants,
                       .assembly = {},
                       .stated = {},
                       .used = {},
                       .paths = ModulePaths(model)};
    const auto nodes = execution_order(*model.graph, file, DefinedNames::all_known);
    import.assembly.graph.name = stem_of(source.name);
    add_sources(import, nodes);
    for (const OrderedNode& node : nodes) {
        import_node(import, node);
    }
    add_outputs(import);
    doubt_folded_normalizations(import);
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
