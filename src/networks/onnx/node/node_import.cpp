// SPDX-License-Identifier: MIT
#include "networks/onnx/node/node_import.h"

#include "base/error.h"
#include "base/text.h"
#include "networks/onnx/file/element_type.h"
#include "networks/onnx/node/model_import.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace strata {

NodeImport::NodeImport(ModelImport& model, const OnnxNode& node)
    : model_(model), node_(node), module_path_(model.paths.of(node)) {}

std::int64_t NodeImport::opset() const {
    return model_.opset;
}

const std::optional<BatchChange>& NodeImport::batch_change() const {
    return model_.extents.batch_change();
}

Tensor NodeImport::tensor(TensorId id) const {
    return model_.assembly.tensor(id);
}

Value& NodeImport::value(std::size_t i) const {
    return model_.assembly.value(node_.inputs[i]);
}

std::optional<OnnxAttribute> NodeImport::find(std::string_view name) const {
    const auto found = std::ranges::find(node_.attributes, name, &OnnxNamedMessage::name);
    if (found == node_.attributes.end()) {
        return std::nullopt;
    }
    auto attribute = parse_onnx_attribute(found->message);
    if (attribute.is_reference) {
        throw Unsupported{fmt::format("attribute '{}' refers to a function", name)};
    }
    return attribute;
}

std::int64_t NodeImport::integer(std::string_view name, std::int64_t absent) const {
    const auto attribute = find(name);
    return attribute ? attribute->i.value_or(absent) : absent;
}

double NodeImport::number(std::string_view name, double absent) const {
    const auto attribute = find(name);
    return attribute && attribute->f ? static_cast<double>(*attribute->f) : absent;
}

std::string_view NodeImport::text(std::string_view name, std::string_view absent) const {
    const auto attribute = find(name);
    return attribute ? attribute->s.value_or(absent) : absent;
}

Dims NodeImport::integers(std::string_view name) const {
    auto attribute = find(name);
    return attribute ? std::move(attribute->ints) : Dims();
}

std::vector<double> NodeImport::numbers(std::string_view name) const {
    const auto attribute = find(name);
    return attribute ? std::vector<double>(attribute->floats.begin(), attribute->floats.end())
                     : std::vector<double>();
}

std::vector<std::string_view> NodeImport::texts(std::string_view name) const {
    auto attribute = find(name);
    return attribute ? std::move(attribute->strings) : std::vector<std::string_view>();
}

std::optional<Constant> NodeImport::tensor_attribute(std::string_view name) const {
    const auto attribute = find(name);
    if (!attribute || !attribute->t) {
        return std::nullopt;
    }
    if (!data_type_of(attribute->t->data_type)) {
        throw Unsupported{fmt::format("its tensor has elements of type {}",
                                      onnx_type_name(attribute->t->data_type))};
    }
    return model_.constants.read(*attribute->t);
}

void NodeImport::spend(std::int64_t elements) const {
    model_.folding.elements += elements;
    unsupported_if(
        elements > always_folded_elements && model_.is_spent(),
        "too much would be computed at import; fold the model's constants with an optimizer "
        "first");
}

Tensor NodeImport::input(std::size_t i) const {
    if (!has_input(i)) {
        throw Unsupported{fmt::format("its input {} is missing", i)};
    }
    const Value& known = value(i);
    return known.constant ? known.constant->tensor : model_.assembly.tensor(known.tensor.value());
}

const Constant* NodeImport::constant(std::size_t i) const {
    if (!has_input(i)) {
        return nullptr;
    }
    const Value& known = value(i);
    return known.constant ? &*known.constant : nullptr;
}

const Constant& NodeImport::known(std::size_t i) const {
    input(i);  // throws if it is missing
    const Constant* found = constant(i);
    if (!found) {
        throw Unsupported{fmt::format("its input {} is computed while the network runs", i)};
    }
    return *found;
}

// An initializer with several floating-point elements; a single number is more likely a factor or a
// bound.
bool NodeImport::is_weight(std::size_t i) const {
    const Constant* known = constant(i);
    return known && value(i).is_initializer && is_floating(known->tensor.dtype) &&
           known->tensor.elements() > 1;
}

namespace {

void require_computed(const Constant& constant) {
    if (!is_computed(constant.tensor.dtype)) {
        throw Unsupported{
            fmt::format("its numbers are of type {}", onnx_type_name(constant.tensor.dtype))};
    }
}

}  // namespace

Dims NodeImport::integers_of_input(std::size_t i) const {
    const Constant& list = known(i);
    require_computed(list);
    if (list.tensor.elements() > max_folded_elements) {
        throw Unsupported{fmt::format("its input {} has too many elements", i)};
    }
    spend(list.tensor.elements());
    return integers_of(list);
}

double NodeImport::number_of_input(std::size_t i) const {
    const Constant* known = constant(i);
    if (!known || known->tensor.elements() != 1) {
        throw Unsupported{fmt::format("its input {} is not one constant number", i)};
    }
    require_computed(*known);
    return number_at(*known, 0);
}

std::int64_t NodeImport::integer_of_input(std::size_t i) const {
    number_of_input(i);  // throws unless it is one number
    return integer_at(known(i), 0);
}

TensorId NodeImport::operand(std::size_t i) const {
    input(i);  // throws if it is missing
    return operand(i, is_weight(i) ? Role::parameter : Role::constant);
}

TensorId NodeImport::operand(std::size_t i, Role role) const {
    input(i);
    return model_.assembly.operand(node_.inputs[i], role);
}

TensorId NodeImport::operand(std::size_t i, std::string_view suffix, Constant changed,
                             Role role) const {
    model_.folding.bytes += std::ssize(changed.data.bytes);
    const std::string made = fmt::format("{}.{}", node_.inputs[i], suffix);
    return model_.assembly.add_constant(made, std::move(changed), role);
}

std::optional<TensorId> NodeImport::shared_transpose(std::size_t i) const {
    const Value* const turned = model_.assembly.find(node_.inputs[i]);
    const Value* const matrix = turned == nullptr || turned->transpose_of.empty()
                                    ? nullptr
                                    : model_.assembly.find(turned->transpose_of);
    const bool is_shared = matrix != nullptr && matrix->tensor &&
                           model_.assembly.graph.tensors[*matrix->tensor].role == Role::parameter;
    return is_shared ? matrix->tensor : std::nullopt;
}

TensorId NodeImport::constant_operand(std::string_view suffix, Constant made, Role role) const {
    model_.folding.bytes += std::ssize(made.data.bytes);
    return model_.assembly.add_tensor(fmt::format("{}.{}", name(), suffix), std::move(made.tensor),
                                      role, std::move(made.data));
}

TensorId NodeImport::scalar(std::string_view suffix, double number, DataType dtype) const {
    return constant_operand(suffix, constant_of({{}, dtype}, std::array{number}));
}

TensorId NodeImport::add(std::string_view suffix, Op op, std::vector<TensorId> operands) const {
    const std::string made = fmt::format("{}.{}", name(), suffix);
    return model_.assembly.add_layer(made, std::move(op), std::move(operands), made);
}

std::vector<TensorId> NodeImport::add_several(std::string_view suffix, Op op,
                                              std::vector<TensorId> operands) const {
    const std::string made = fmt::format("{}.{}", name(), suffix);
    return model_.assembly.add_layer(made, std::move(op), std::move(operands),
                                     std::span<const std::string>());
}

void NodeImport::result_of(std::size_t output, std::string_view suffix, Op op,
                           std::vector<TensorId> operands) const {
    const std::string_view given = node_.outputs.at(output);
    model_.assembly.value(given).tensor = model_.assembly.add_layer(
        fmt::format("{}.{}", name(), suffix), std::move(op), std::move(operands), given);
}

void NodeImport::result_part(std::size_t output, Op op, std::vector<TensorId> operands) const {
    result_of(output, std::to_string(output), std::move(op), std::move(operands));
}

std::vector<TensorId> NodeImport::add_whole(Op op, std::vector<TensorId> operands,
                                            std::span<const std::string> names) const {
    return model_.assembly.add_layer(name(), std::move(op), std::move(operands), names);
}

void NodeImport::give(std::size_t output, TensorId tensor) const {
    model_.assembly.value(node_.outputs.at(output)).tensor = tensor;
}

void NodeImport::give_empty(std::size_t output, Tensor tensor) const {
    check(tensor.elements() == 0, "only a tensor without elements is known by its shape");
    model_.assembly.value(node_.outputs.at(output)).constant = Constant{std::move(tensor), {}};
}

void NodeImport::results(Op op, std::vector<TensorId> operands) const {
    const std::vector<std::string> names(node_.outputs.begin(), node_.outputs.end());
    const auto made = add_whole(std::move(op), std::move(operands), names);
    for (std::size_t i = 0; i < std::min(made.size(), names.size()); ++i) {
        if (!names[i].empty()) {
            give(i, made[i]);
        }
    }
}

void NodeImport::result(Op op, std::vector<TensorId> operands) const {
    const std::string_view output = node_.outputs.at(0);
    model_.assembly.value(output).tensor =
        model_.assembly.add_layer(name(), std::move(op), std::move(operands), output);
}

bool NodeImport::is_used(std::size_t i) const {
    return i < node_.outputs.size() && model_.used.contains(node_.outputs[i]);
}

void NodeImport::require_single_output() const {
    for (std::size_t i = 1; i < node_.outputs.size(); ++i) {
        if (is_used(i)) {
            throw Unsupported{fmt::format("its output '{}' is read", printable(node_.outputs[i]))};
        }
    }
}

std::string_view NodeImport::name() const {
    if (!module_path_.empty()) {
        return module_path_;
    }
    const bool by_output = node_.name.empty() && !node_.outputs.empty();
    return by_output ? node_.outputs[0] : node_.name;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    const auto axes = static_cast<std::int64_t>(rank);
    if (axis < -axes || axis >= axes) {
        throw Error(fmt::format("axis {} is not one of {} axes", axis, rank));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

std::string_view NameScope::resolve(std::string_view name) const {
    for (const NameScope* scope = this; scope; scope = scope->outer) {
        if (const auto found = scope->names.find(name); found != scope->names.end()) {
            return found->second;
        }
    }
    return name;
}

}  // namespace strata
