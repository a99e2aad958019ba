// SPDX-License-Identifier: MIT
#include "networks/onnx/file/element_type.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

Constant integers_in(std::span<const std::int64_t> values, Dims dims) {
    return constant_of({std::move(dims), DataType::s64}, values);
}

// A bound of Shape's slice; it saturates instead of failing.
std::int64_t bound(std::int64_t position, std::int64_t rank) {
    return std::clamp<std::int64_t>(position < 0 ? position + rank : position, 0, rank);
}

template <class Number>
std::optional<std::vector<Number>> counted_up(Number start, Number limit, Number step) {
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

std::optional<Constant> fold_constant(const NodeImport& node) {
    if (node.has_attribute("value_int")) {
        return integers_in(std::array{node.integer("value_int", 0)}, {});
    }
    if (node.has_attribute("value_ints")) {
        const Dims values = node.integers("value_ints");
        return integers_in(values, {std::ssize(values)});
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
    unsupported_if(fill->tensor.elements() != 1, "its value is not one number");
    fill->tensor.dims = node.integers_of_input(0);
    require_sane(fill->tensor.dims);
    return fill;
}

std::optional<Constant> fold_shape(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    const std::int64_t rank = std::ssize(dims);
    const std::int64_t start = bound(node.integer("start", 0), rank);
    const std::int64_t end = std::max(start, bound(node.integer("end", rank), rank));
    return integers_in(std::span(dims).subspan(static_cast<std::size_t>(start),
                                               static_cast<std::size_t>(end - start)),
                       {end - start});
}

std::optional<Constant> fold_size(const NodeImport& node) {
    return integers_in(std::array{node.input(0).elements()}, {});
}

std::optional<Constant> fold_range(const NodeImport& node) {
    const DataType dtype = node.input(0).dtype;
    if (is_floating(dtype)) {
        const auto values =
            counted_up(node.number_of_input(0), node.number_of_input(1), node.number_of_input(2));
        return values ? std::optional(constant_of({{std::ssize(*values)}, dtype}, *values))
                      : std::nullopt;
    }
    const auto values =
        counted_up(node.integer_of_input(0), node.integer_of_input(1), node.integer_of_input(2));
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

// A row of positions for each axis.
std::optional<Constant> fold_non_zero(const NodeImport& node) {
    const Constant& from = node.known(0);
    if (!is_small(from.tensor.dims)) {
        return std::nullopt;
    }
    std::vector<std::int64_t> found;
    for (std::int64_t element = 0; element < from.tensor.elements(); ++element) {
        if (number_at(from, element) != 0) {
            found.push_back(element);
        }
    }
    const Dims& dims = from.tensor.dims;
    const Dims strides = strides_of(dims);
    if (std::ssize(dims) * std::ssize(found) > 4 * max_folded_elements) {
        return std::nullopt;
    }
    std::vector<std::int64_t> rows;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        std::ranges::transform(found, std::back_inserter(rows),
                               [&](std::int64_t at) { return at / strides[axis] % dims[axis]; });
    }
    return constant_of({{std::ssize(dims), std::ssize(found)}, DataType::s64}, rows);
}

KnownResults random_as_input(const NodeImport& node) {
    const Tensor& x = node.input(0);
    return uncounted_result({x.dims, named_type(node, "dtype", x.dtype)});
}

KnownResults random_of_shape(const NodeImport& node) {
    return uncounted_result(
        {sane_extents(node.integers("shape")), named_type(node, "dtype", DataType::f32)});
}

KnownResults truth(const NodeImport&) {
    return moved_result({{}, DataType::boolean});
}

KnownResults drawn_classes(const NodeImport& node) {
    const Dims dims = sane_extents({node.input(0).dims.at(0), node.integer("sample_size", 1)});
    return uncounted_result({dims, named_type(node, "dtype", DataType::s32)});
}

}  // namespace

OnnxRows source_rows() {
    static constexpr std::array rows = {
        OnnxRow("Bernoulli").shaped(random_as_input),
        OnnxRow("Constant").folded(fold_constant),
        OnnxRow("ConstantOfShape").folded(fold_constant_of_shape),
        OnnxRow("EyeLike").folded_by_shape(fold_eye_like, FoldCost::may_grow),
        OnnxRow("Multinomial").shaped(drawn_classes),
        OnnxRow("NonZero").folded(fold_non_zero, FoldCost::may_shrink),
        OnnxRow("OptionalHasElement").shaped(truth),
        OnnxRow("RandomNormal").shaped(random_of_shape),
        OnnxRow("RandomNormalLike").shaped(random_as_input),
        OnnxRow("RandomUniform").shaped(random_of_shape),
        OnnxRow("RandomUniformLike").shaped(random_as_input),
        OnnxRow("Range").folded(fold_range, FoldCost::may_grow),
        OnnxRow("Shape").folded_by_shape(fold_shape),
        OnnxRow("Size").folded_by_shape(fold_size),
    };
    return rows;
}

}  // namespace strata
