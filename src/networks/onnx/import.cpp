// SPDX-License-Identifier: MIT
#include "networks/onnx/import.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "networks/onnx/import_node.h"
#include "networks/onnx/sources.h"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_set>

namespace strata {

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

// A network whose result is a constant must still write it.
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

// A normalisation that was folded into a convolution is no longer trained.
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
    const auto nodes = execution_order(*model.graph, file);
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
