// SPDX-License-Identifier: MIT
#include "networks/onnx/fold/folders.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

Constant integers(std::span<const std::int64_t> values, Dims dims) {
    return constant_of({std::move(dims), DataType::s64}, values);
}

// A bound of Shape's slice, which saturates instead of failing.
std::int64_t bound(std::int64_t position, std::int64_t rank) {
    return std::clamp<std::int64_t>(position < 0 ? position + rank : position, 0, rank);
}

template <class Number>
std::optional<std::vector<Number>> counted(Number start, Number limit, Number step) {
    if (step == Number{}) {
        return std::nullopt;
    }
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                   static_cast<double>(step));
    if (!(count <= static_cast<double>(max_folded_elements))) {
        return std::nullopt;
    }
    std::vector<Number> values;
    Number value = start;
    for (double i = 0; i < count; ++i) {
        values.push_back(value);
        if constexpr (std::is_integral_v<Number>) {
            if (__builtin_add_overflow(value, step, &value)) {
                break;  // the last one: the limit itself is representable
            }
        } else {
            value = start + static_cast<Number>(i + 1) * step;
        }
    }
    return values;
}

}  // namespace

std::optional<Constant> fold_constant(const NodeImport& node) {
    if (node.has_attribute("value_int")) {
        return integers(std::array{node.integer("value_int", 0)}, {});
    }
    if (node.has_attribute("value_ints")) {
        const Dims values = node.integers("value_ints");
        return integers(values, {std::ssize(values)});
    }
    if (node.has_attribute("value_float")) {
        return constant_of({{}, DataType::f32}, std::array{node.number("value_float", 0)});
    }
    if (const auto list = node.numbers("value_floats"); !list.empty()) {
        return constant_of({{std::ssize(list)}, DataType::f32}, list);
    }
    return node.tensor_attribute("value");
}

std::optional<Constant> fold_constant_of_shape(const NodeImport& node) {
    auto fill = node.tensor_attribute("value");
    if (!fill) {
        fill = constant_of({{1}, DataType::f32}, std::array{0.0});
    }
    if (fill->tensor.elements() != 1) {
        throw Unsupported{"its value is not one number"};
    }
    fill->tensor.dims = node.integers_of_input(0);
    require_sane(fill->tensor.dims);
    return fill;
}

std::optional<Constant> fold_shape(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    const std::int64_t rank = std::ssize(dims);
    const std::int64_t start = bound(node.integer("start", 0), rank);
    const std::int64_t end = std::max(start, bound(node.integer("end", rank), rank));
    return integers(std::span(dims).subspan(static_cast<std::size_t>(start),
                                            static_cast<std::size_t>(end - start)),
                    {end - start});
}

std::optional<Constant> fold_size(const NodeImport& node) {
    return integers(std::array{node.input(0).elements()}, {});
}

std::optional<Constant> fold_range(const NodeImport& node) {
    const DataType dtype = node.input(0).dtype;
    if (is_floating(dtype)) {
        const auto values =
            counted(node.number_of_input(0), node.number_of_input(1), node.number_of_input(2));
        return values ? std::optional(constant_of({{std::ssize(*values)}, dtype}, *values))
                      : std::nullopt;
    }
    const auto values =
        counted(node.integer_of_input(0), node.integer_of_input(1), node.integer_of_input(2));
    return values ? std::optional(constant_of({{std::ssize(*values)}, dtype}, *values))
                  : std::nullopt;
}

std::optional<Constant> fold_eye_like(const NodeImport& node) {
    const Tensor& like = node.input(0);
    const auto dtype = node.has_attribute("dtype") ? data_type_of(node.integer("dtype", 1))
                                                   : std::optional(like.dtype);
    if (like.dims.size() != 2 || !is_small(like.dims) || !dtype || !is_computed(*dtype)) {
        return std::nullopt;
    }
    const std::int64_t columns = like.dims[1];
    const std::int64_t diagonal = node.integer("k", 0);
    std::vector<std::int64_t> values(static_cast<std::size_t>(like.elements()));
    for (std::int64_t i = 0; i < std::ssize(values); ++i) {
        values[static_cast<std::size_t>(i)] = i % columns - i / columns == diagonal ? 1 : 0;
    }
    return constant_of({like.dims, *dtype}, values);
}

}  // namespace strata
