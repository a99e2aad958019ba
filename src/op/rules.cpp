// SPDX-License-Identifier: MIT
#include "op/rules.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

void refuse(std::string_view type, const std::string& sentence) {
    throw Error(fmt::format("{}: {}", type, sentence));
}

void require_operands(std::string_view type, std::span<const Tensor> inputs, std::size_t minimum,
                      std::size_t maximum) {
    for (const Tensor& input : inputs) {
        product(input.dims);  // so that a sum of a few extents cannot overflow
    }
    if (inputs.size() >= minimum && inputs.size() <= maximum) {
        return;
    }
    const auto wanted =
        minimum == maximum ? fmt::format("{}", minimum) : fmt::format("at least {}", minimum);
    refuse(type, fmt::format("it has {} operands but needs {}", inputs.size(), wanted));
}

void require_rank(std::string_view type, const Tensor& tensor, std::size_t minimum) {
    if (tensor.dims.size() < minimum) {
        refuse(type, fmt::format("input {} has {} axes but needs at least {}", to_text(tensor.dims),
                                 tensor.dims.size(), minimum));
    }
}

void require_indices(std::string_view type, const Tensor& tensor) {
    if (is_floating(tensor.dtype) || tensor.dtype == DataType::boolean) {
        refuse(type, fmt::format("indices of type {} cannot index; cast them to s64",
                                 name_of(tensor.dtype)));
    }
}

void require_positive(std::string_view type, std::string_view attribute, std::int64_t value) {
    if (value < 1 || value > max_attribute) {
        refuse(type, fmt::format("{} is {}; it must lie between 1 and {}", attribute, value,
                                 max_attribute));
    }
}

void require_parameters(std::string_view type, std::span<const Tensor> operands,
                        std::span<const ParameterShape> expected) {
    if (operands.size() != expected.size()) {
        refuse(type,
               fmt::format("it has {} parameters but needs {}", operands.size(), expected.size()));
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].dims != expected[i].tensor.dims) {
            refuse(type, fmt::format("its {} is {}, but the input needs {}", expected[i].name,
                                     to_text(operands[i].dims), to_text(expected[i].tensor.dims)));
        }
    }
}

Tensor shaped(std::string_view type, Dims dims, DataType dtype) {
    if (std::ranges::any_of(dims, [](std::int64_t extent) { return extent < 1; })) {
        refuse(type, fmt::format("shape {} has an empty axis; every extent must be positive",
                                 to_text(dims)));
    }
    product(dims);  // throws if the elements cannot be counted
    return {std::move(dims), dtype};
}

std::size_t axis_index(std::string_view type, std::int64_t axis, std::size_t rank) {
    const auto axes = static_cast<std::int64_t>(rank);
    if (axis < -axes || axis >= axes) {
        refuse(type, fmt::format("axis {} is not one of the input's {} axes", axis, rank));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

namespace {

Dims broadcast_two(std::string_view type, const Dims& a, const Dims& b) {
    Dims longer = a.size() >= b.size() ? a : b;
    const Dims& shorter = a.size() >= b.size() ? b : a;
    const std::size_t shift = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& extent = longer[i + shift];
        if (extent != shorter[i] && extent != 1 && shorter[i] != 1) {
            refuse(type,
                   fmt::format("shapes {} and {} cannot be broadcast; extents must be equal or 1",
                               to_text(a), to_text(b)));
        }
        extent = extent == 1 ? shorter[i] : extent;
    }
    return longer;
}

}  // namespace

Dims broadcast(std::string_view type, std::span<const Dims> shapes) {
    Dims common;
    for (const Dims& shape : shapes) {
        common = broadcast_two(type, common, shape);
    }
    return common;
}

Operations pick(const PassOperations& operations, const Signature&, Pass pass) {
    switch (pass) {
        case Pass::forward:
            return operations.forward;
        case Pass::backward_data:
            return operations.backward_data;
        case Pass::backward_weights:
            return operations.backward_weights;
        case Pass::update:
            break;  // the optimizer decides: update_work
    }
    return {};
}

Operations times(double count, Operations each) {
    return each *= count;
}

double count_of(const Tensor& tensor) {
    return static_cast<double>(tensor.elements());
}

bool receives_gradient(const Operand& operand) {
    return (operand.role == Role::activation || operand.role == Role::input) &&
           is_floating(operand.tensor.dtype);
}

}  // namespace strata
