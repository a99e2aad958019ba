// SPDX-License-Identifier: MIT
#include "networks/onnx/import_node.h"
#include "networks/onnx/file/element_type.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/operator/families.h"
#include "op/problem.h"

#include <fmt/format.h>
#include <algorithm>
#include <stdexcept>

namespace strata {

namespace {

// The shape and type that the file states for a tensor that no operator of ours computes.
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

// Stands in for a tensor of unknown shape: it has no elements.
const Tensor unknown_tensor{.dims = {0}, .dtype = DataType::f32};

// The reason why an input is unknown; empty if all are known.
std::string unknown_input(ModelImport& import, const OrderedNode& node) {
    for (std::string_view name : node.reads) {
        const Value& value = import.assembly.value(name);
        if (!value.unknown.empty()) {
            return value.unknown;
        }
    }
    return {};
}

// A weight with several elements in each byte, in its own element type.
Constant unpacked(const Constant& bytes, DataType dtype) {
    Constant weight = bytes;
    const auto per_byte = 8 / static_cast<std::int64_t>(Tensor{{8}, dtype}.bytes().value);
    if (weight.tensor.dtype == DataType::u8 && !weight.tensor.dims.empty() && !is_uniform(bytes)) {
        weight.tensor.dims.back() *= per_byte;
        weight.tensor.dtype = dtype;
    }
    return weight;
}

// The known tensors that a node reads. Weights that the file contains are parameters, in their own
// type.
std::vector<TensorId> known_operands(ModelImport& import, const OrderedNode& ordered,
                                     const KnownResults& known) {
    const NodeImport node(import, *ordered.node);
    const auto weight = [&](std::string_view name) {
        return std::ranges::find_if(known.weights, [&](std::size_t i) {
            return node.has_input(i) && ordered.node->inputs[i] == name;
        });
    };
    std::vector<TensorId> operands;
    for (std::string_view name : ordered.reads) {
        const Value& value = import.assembly.value(name);
        if (!value.constant && !value.tensor) {
            continue;
        }
        const auto found = weight(name);
        const bool is_weight = found != known.weights.end() && node.constant(*found) &&
                               value.is_initializer && value.constant->tensor.elements() > 1;
        if (is_weight && known.packed && found == known.weights.begin()) {
            operands.push_back(node.operand(*found, "unpacked",
                                            unpacked(*node.constant(*found), *known.packed),
                                            Role::parameter));
        } else {
            operands.push_back(
                import.assembly.operand(name, is_weight ? Role::parameter : Role::constant));
        }
    }
    return operands;
}

// An opaque layer. Its work counts as known if nothing is computed.
Opaque opaque_of(const OnnxNode& node, const std::string& reason, const KnownResults& known) {
    return {.foreign_type = printable(node.op_type),
            .reason = reason,
            .is_counted = known.work.has_value(),
            .work = known.work.value_or(Operations())};
}

void add_opaque(ModelImport& import, const OrderedNode& ordered, const std::string& reason) {
    // In a chain of unknown shapes, the first one is the cause to report.
    std::string unknown = unknown_input(import, ordered);
    if (unknown.empty()) {
        unknown =
            fmt::format("the shape of what {} produces is not known", describe(*ordered.node));
    }
    const bool has_unknown = !unknown_input(import, ordered).empty();
    const KnownResults known =
        has_unknown ? KnownResults() : known_results(NodeImport(import, *ordered.node));
    std::vector<TensorId> outputs;
    for (std::size_t i = 0; i < ordered.node->outputs.size(); ++i) {
        const std::string_view name = ordered.node->outputs[i];
        if (name.empty()) {
            continue;
        }
        const bool has_rule = i < known.outputs.size() && known.outputs[i];
        const auto tensor = has_rule ? known.outputs[i] : stated_tensor(import, name);
        Value& value = import.assembly.value(name);
        value.unknown = tensor ? "" : unknown;
        value.tensor =
            import.assembly.add_tensor(name, tensor.value_or(unknown_tensor), Role::activation);
        outputs.push_back(*value.tensor);
    }
    import.assembly.add_opaque(NodeImport(import, *ordered.node).name(),
                               opaque_of(*ordered.node, reason, known),
                               known_operands(import, ordered, known), std::move(outputs));
}

// Whether a node may be folded: all its inputs are constant, and the budget is not used up.
bool is_foldable(const ModelImport& import, const NodeImport& node, const OnnxRow& row) {
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const bool by_type = row.op_type == "CastLike" && i == 1;
        const bool is_value = node.has_input(i) && !row.folds_by_shape && !by_type;
        if (is_value && (!node.constant(i) || !is_computed(node.input(i).dtype))) {
            return false;
        }
        elements += node.constant(i) ? std::min(node.input(i).elements(), max_folded_elements) : 0;
    }
    const bool is_little =
        elements <= always_folded_elements && row.fold_cost != FoldCost::may_grow;
    return is_little || !import.is_spent();
}

// Whether a constant shares an input's elements, so that nothing was copied.
bool is_view(const ModelImport& import, const OnnxNode& node, const Constant& constant) {
    return std::ranges::any_of(node.inputs, [&](std::string_view name) {
        const Value* known = import.assembly.find(name);
        return known && known->constant &&
               known->constant->data.bytes.data() == constant.data.bytes.data();
    });
}

void give_constant(ModelImport& import, const OnnxNode& node, std::size_t output,
                   Constant constant) {
    if (!is_uniform(constant) && !is_view(import, node, constant)) {
        import.folding.elements += constant.tensor.elements();
        import.folding.bytes += std::ssize(constant.data.bytes);
    }
    Value& value = import.assembly.value(node.outputs[output]);
    value.is_initializer = std::ranges::any_of(node.inputs, [&](std::string_view name) {
        return import.assembly.value(name).is_initializer;
    });
    value.constant = std::move(constant);
}

bool fold_to_parts(ModelImport& import, const NodeImport& node, FoldParts fold) {
    auto parts = fold(node);
    if (!parts) {
        return false;
    }
    for (std::size_t i = 0; i < parts->size(); ++i) {
        give_constant(import, node.node(), i, std::move((*parts)[i]));
    }
    return true;
}

// Computes a node on constants; false if it cannot be folded.
bool fold(ModelImport& import, const OnnxNode& node, const OnnxRow& row) {
    const NodeImport one(import, node);
    if ((!row.fold && !row.fold_parts) || !is_foldable(import, one, row)) {
        return false;
    }
    if (row.fold_cost == FoldCost::may_shrink) {
        import.folding.elements += std::min(one.input(0).elements(), max_folded_elements);
    }
    if (row.fold_parts) {
        return fold_to_parts(import, one, row.fold_parts);
    }
    if (node.outputs.size() != 1) {
        return false;
    }
    auto constant = row.fold(one);
    if (constant) {
        const bool is_matrix = constant->tensor.dims.size() == 2;
        give_constant(import, node, 0, std::move(*constant));
        if (is_matrix && node.op_type == "Transpose" &&
            one.integers("perm") != std::vector<std::int64_t>{0, 1}) {
            import.assembly.value(node.outputs[0]).transpose_of = node.inputs[0];
        }
    }
    return constant.has_value();
}

// A layer that our exporter wrote as a function; the call contains its operator.
void convert_own_layer(const NodeImport& node) {
    const std::string_view text = node.text(onnx_function_attribute, "");
    unsupported_if(text.empty(), "it does not name its layer");
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        operands.push_back(node.operand(i));
    }
    const Op op = parse_op(text);
    unsupported_if(std::holds_alternative<Opaque>(op), "its computation is unknown");
    node.results(op, std::move(operands));
}

// Layers compute at least one element. Only constants may be empty, if that has a meaning: a list
// without numbers, or a part of a concatenation.
void require_filled_inputs(const NodeImport& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        const bool may_be_empty = node.constant(i) && (i > 0 || node.node().op_type == "Concat");
        if (node.has_input(i) && !may_be_empty && node.input(i).elements() == 0) {
            throw Unsupported{fmt::format("its input {} is empty", i)};
        }
    }
}

bool is_control_flow(const OnnxNode& node) {
    return node.op_type == "If" || node.op_type == "Loop" || node.op_type == "Scan";
}

// Converters handle only the element types that the operators compute with.
void require_computed_inputs(const NodeImport& node) {
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        if (node.has_input(i) && !is_computed(node.input(i).dtype)) {
            throw Unsupported{fmt::format("nothing here computes with elements of type {}",
                                          onnx_type_name(node.input(i).dtype))};
        }
    }
}

// A graph has fixed extents, so it cannot have extents that depend on values.
bool has_extents_by_values(const OnnxNode& node) {
    return node.op_type == "NonZero" || node.op_type == "NonMaxSuppression" ||
           node.op_type == "Unique";
}

std::string why_unknown(const OnnxNode& node) {
    return has_extents_by_values(node)            ? "the size of its result depends on the values"
           : node.op_type.starts_with("Sequence") ? "sequences of tensors are not supported"
                                                  : "this operator is not supported";
}

void convert(ModelImport& import, const OrderedNode& ordered) {
    const OnnxNode& node = *ordered.node;
    if (is_control_flow(node) && is_default_domain(node.domain)) {
        return import_body(import, ordered);
    }
    if (const std::string reason = unknown_input(import, ordered); !reason.empty()) {
        throw Unsupported{reason};
    }
    if (node.domain == onnx_function_domain) {
        return convert_own_layer(NodeImport(import, node));
    }
    if (!is_default_domain(node.domain) && node.domain != microsoft_domain) {
        throw Unsupported{fmt::format("domain '{}' is not supported", printable(node.domain))};
    }
    const OnnxRow* row = find_row(node.domain, node.op_type);
    if (row && is_default_domain(node.domain) && fold(import, node, *row)) {
        return;
    }
    if (!row || !row->convert) {
        throw Unsupported{why_unknown(node)};
    }
    const NodeImport one(import, node);
    require_computed_inputs(one);
    if (row->outputs == Outputs::one) {
        one.require_single_output();
    }
    unsupported_if(row->elements == Elements::floating && !is_floating(one.input(0).dtype),
                   "arithmetic on integers is known for shapes only");
    require_filled_inputs(one);
    row->convert(one);
}

// The names of all tensors that a conversion may have created.
std::vector<std::string_view> touched_by(const OrderedNode& node) {
    std::vector<std::string_view> names = node.node->outputs;
    names.insert(names.end(), node.reads.begin(), node.reads.end());
    return names;
}

// Why a node cannot be expressed; nothing if it was.
std::optional<std::string> refusal(ModelImport& import, const OrderedNode& node) {
    const AssemblyMark before = import.assembly.mark();
    try {
        convert(import, node);
        return std::nullopt;
    } catch (const Unsupported& unsupported) {
        import.assembly.roll_back(before, touched_by(node));
        return unsupported.reason;
    } catch (const std::out_of_range&) {  // a list or a shape that is too short
        import.assembly.roll_back(before, touched_by(node));
        return "its inputs or attributes do not fit";
    }
}

// Records what the file says about the layers made from a node.
void note_origin(ModelImport& import, const OnnxNode& node, const AssemblyMark& before) {
    if (node.stack_trace.empty() && import.paths.of(node).empty()) {
        return;
    }
    const std::string alias = printable(node.name, max_name);
    const std::string source = printable(source_line_of(node), max_name);
    auto& layers = import.assembly.graph.layers;
    for (LayerId id = before.layers; id < layers.size(); ++id) {
        layers[id].alias = layers[id].name == alias ? "" : alias;
        layers[id].source = source;
    }
}

}  // namespace

void import_node(ModelImport& import, const OrderedNode& node) {
    const AssemblyMark before = import.assembly.mark();
    try {
        if (const auto reason = refusal(import, node)) {
            add_opaque(import, node, *reason);
        }
    } catch (const Error& error) {
        throw Error(
            fmt::format("{}: {}: {}", quoted_name(import.file), describe(*node.node), error.what()),
            error.code());
    }
    note_origin(import, *node.node, before);
}

}  // namespace strata
