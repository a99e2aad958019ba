// SPDX-License-Identifier: MIT
#include "op/shape_rule.h"

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
        product(input.dims);  // no extent so large that a sum of a few could overflow
    }
    if (inputs.size() >= minimum && inputs.size() <= maximum) {
        return;
    }
    const auto wanted =
        minimum == maximum ? fmt::format("{}", minimum) : fmt::format("at least {}", minimum);
    refuse(type, fmt::format("it has {} operands where it needs {}", inputs.size(), wanted));
}

void require_rank(std::string_view type, const Tensor& tensor, std::size_t minimum) {
    if (tensor.dims.size() < minimum) {
        refuse(type, fmt::format("input {} has {} axes where it needs at least {}",
                                 to_text(tensor.dims), tensor.dims.size(), minimum));
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
        refuse(type, fmt::format("it has {} parameters where it needs {}", operands.size(),
                                 expected.size()));
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].dims != expected[i].tensor.dims) {
            refuse(type, fmt::format("its {} is {} where the input needs {}", expected[i].name,
                                     to_text(operands[i].dims), to_text(expected[i].tensor.dims)));
        }
    }
}

Tensor shaped(std::string_view type, Dims dims, DataType dtype) {
    if (std::ranges::any_of(dims, [](std::int64_t extent) { return extent < 1; })) {
        refuse(type, fmt::format("shape {} has an empty axis; every extent must be positive",
                                 to_text(dims)));
    }
    product(dims);  // throws where nobody can count the elements
    return {std::move(dims), dtype};
}

std::size_t axis_index(std::string_view type, std::int64_t axis, std::size_t rank) {
    const auto axes = static_cast<std::int64_t>(rank);
    if (axis < -axes || axis >= axes) {
        refuse(type, fmt::format("axis {} is not one of the input's {} axes", axis, rank));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

}  // namespace strata
