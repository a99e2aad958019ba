// SPDX-License-Identifier: MIT
#include "networks/onnx/operator/shared.h"
#include "networks/onnx/file/element_type.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

KnownResults counted_result(Tensor result, Operations work) {
    return {.outputs = {std::move(result)}, .work = work};
}

KnownResults moved_result(Tensor result) {
    return counted_result(std::move(result), {});
}

KnownResults uncounted_result(Tensor result) {
    return {.outputs = {std::move(result)}};
}

KnownResults as_input(const NodeImport& node) {
    return counted_result(node.input(0), {.adds = as_number(node.input(0).elements())});
}

KnownResults moved_as_input(const NodeImport& node) {
    return moved_result(node.input(0));
}

KnownResults uncounted_as_input(const NodeImport& node) {
    return uncounted_result(node.input(0));
}

Dims sane_extents(Dims dims) {
    for (const std::int64_t extent : dims) {
        if (extent < 0 || extent > max_elements) {
            throw Unsupported{"its result would be " + to_text(dims)};
        }
    }
    return dims;
}

DataType named_type(const NodeImport& node, std::string_view attribute, DataType absent) {
    const auto named = data_type_of(node.integer(attribute, 0));
    return named.value_or(absent);
}

void require_filled(const Dims& dims) {
    if (product(dims) == 0) {
        throw Unsupported{"its result " + to_text(dims) + " is empty"};
    }
}

void require_rank(const NodeImport& node, std::size_t input, std::size_t rank) {
    if (node.input(input).dims.size() != rank) {
        throw Unsupported{fmt::format("its input {} is {} where {} axes are needed", input,
                                      to_text(node.input(input).dims), rank)};
    }
}

bool can_make(DataType dtype) {
    return is_computed(dtype) && dtype != DataType::f16 && dtype != DataType::bf16;
}

std::optional<Constant> folded_by(const NodeImport& node, double (*of_number)(double),
                                  std::int64_t (*of_integer)(std::int64_t)) {
    const Constant& from = node.known(0);
    const bool floating = is_floating(from.tensor.dtype);
    if (!is_small(from.tensor.dims) || !can_make(from.tensor.dtype) || (!floating && !of_integer)) {
        return std::nullopt;
    }
    if (floating) {
        auto numbers = numbers_of(from);
        std::ranges::transform(numbers, numbers.begin(), of_number);
        return constant_of(from.tensor, numbers);
    }
    auto integers = integers_of(from);
    std::ranges::transform(integers, integers.begin(), of_integer);
    return constant_of(from.tensor, integers);
}

}  // namespace strata
