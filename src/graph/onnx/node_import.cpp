// SPDX-License-Identifier: MIT
#include "graph/onnx/node_import.h"

#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

namespace strata {

namespace {

// Whether a constant is a trained weight by its looks: an initializer of several floats. A single
// number is rather a factor or a bound.
bool is_weight(const Value& value) {
    return value.is_initializer && value.constant && is_floating(value.constant->tensor.dtype) &&
           value.constant->tensor.elements() > 1;
}

}  // namespace

const OnnxAttribute* NodeImport::find(std::string_view name) const {
    const auto found = std::ranges::find(node_.attributes, name, &OnnxAttribute::name);
    if (found == node_.attributes.end()) {
        return nullptr;
    }
    if (found->is_reference) {
        throw Unsupported{fmt::format("attribute '{}' refers to a function", name)};
    }
    return &*found;
}

std::int64_t NodeImport::integer(std::string_view name, std::int64_t absent) const {
    const OnnxAttribute* attribute = find(name);
    return attribute ? attribute->i.value_or(absent) : absent;
}

double NodeImport::number(std::string_view name, double absent) const {
    const OnnxAttribute* attribute = find(name);
    return attribute && attribute->f ? static_cast<double>(*attribute->f) : absent;
}

std::string_view NodeImport::text(std::string_view name, std::string_view absent) const {
    const OnnxAttribute* attribute = find(name);
    return attribute ? attribute->s.value_or(absent) : absent;
}

Dims NodeImport::integers(std::string_view name) const {
    const OnnxAttribute* attribute = find(name);
    return attribute ? attribute->ints : Dims();
}

std::vector<double> NodeImport::numbers(std::string_view name) const {
    const OnnxAttribute* attribute = find(name);
    return attribute ? std::vector<double>(attribute->floats.begin(), attribute->floats.end())
                     : std::vector<double>();
}

std::optional<Constant> NodeImport::tensor_attribute(std::string_view name) const {
    const OnnxAttribute* attribute = find(name);
    if (!attribute || !attribute->t) {
        return std::nullopt;
    }
    if (!data_type_of(attribute->t->data_type)) {
        throw Unsupported{fmt::format("its tensor has elements of type {}",
                                      onnx_type_name(attribute->t->data_type))};
    }
    return model_.constants.read(*attribute->t);
}

const Tensor& NodeImport::input(std::size_t i) const {
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
    input(i);  // must be there
    const Constant* found = constant(i);
    if (!found) {
        throw Unsupported{fmt::format("its input {} is computed while the network runs", i)};
    }
    return *found;
}

Dims NodeImport::integers_of_input(std::size_t i) const {
    const Constant& list = known(i);
    if (list.tensor.elements() > max_folded_elements) {
        throw Unsupported{fmt::format("its input {} has too many elements", i)};
    }
    return integers_of(list);
}

double NodeImport::number_of_input(std::size_t i) const {
    const Constant* known = constant(i);
    if (!known || known->tensor.elements() != 1) {
        throw Unsupported{fmt::format("its input {} is not one constant number", i)};
    }
    return number_at(*known, 0);
}

TensorId NodeImport::operand(std::size_t i) const {
    input(i);  // must be there
    return operand(i, is_weight(value(i)) ? Role::parameter : Role::constant);
}

TensorId NodeImport::operand(std::size_t i, Role role) const {
    input(i);
    return model_.assembly.operand(node_.inputs[i], role);
}

TensorId NodeImport::operand(std::size_t i, std::string_view suffix, Constant changed,
                             Role role) const {
    const std::string made = fmt::format("{}.{}", node_.inputs[i], suffix);
    return model_.assembly.add_tensor(made, std::move(changed.tensor), role,
                                      std::move(changed.data));
}

TensorId NodeImport::add(std::string_view suffix, Op op, std::vector<TensorId> operands) const {
    const std::string made = fmt::format("{}.{}", name(), suffix);
    return model_.assembly.add_layer(made, std::move(op), std::move(operands), made);
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
    const bool by_output = node_.name.empty() && !node_.outputs.empty();
    return by_output ? node_.outputs[0] : node_.name;
}

}  // namespace strata
