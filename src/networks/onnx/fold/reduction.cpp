// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"
#include "networks/onnx/element_map.h"
#include "networks/onnx/fold/folders.h"

#include <algorithm>
#include <array>
#include <limits>

namespace strata {

namespace {

struct Reducer {
    std::string_view op_type;
    double start;
    double (*step)(double, double);
    bool is_mean = false;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::array reducers = {
    Reducer{"ReduceMax", -infinity, [](double a, double b) { return std::max(a, b); }},
    Reducer{"ReduceMean", 0, [](double a, double b) { return a + b; }, true},
    Reducer{"ReduceMin", infinity, [](double a, double b) { return std::min(a, b); }},
    Reducer{"ReduceProd", 1, [](double a, double b) { return a * b; }},
    Reducer{"ReduceSum", 0, [](double a, double b) { return a + b; }},
};

// The strides of the result by the input's axes: 0 along the reduced ones.
Dims steps_without(const Dims& dims, const Dims& axes) {
    Dims kept = dims;
    for (const std::int64_t axis : axes) {
        kept[static_cast<std::size_t>(axis)] = 1;
    }
    Dims steps = strides_of(kept);
    for (const std::int64_t axis : axes) {
        steps[static_cast<std::size_t>(axis)] = 0;
    }
    return steps;
}

Dims dims_without(const Dims& dims, const Dims& axes, bool keep) {
    Dims result;
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
        const bool vanishes = std::ranges::binary_search(axes, static_cast<std::int64_t>(axis));
        if (!vanishes || keep) {
            result.push_back(vanishes ? 1 : dims[axis]);
        }
    }
    return result;
}

}  // namespace

// In double, which is exact for extents.
std::optional<Constant> fold_reduction(const NodeImport& node) {
    const Constant& from = node.known(0);
    const Dims& dims = from.tensor.dims;
    const DataType dtype = from.tensor.dtype;
    if (!is_small(dims) || from.tensor.elements() == 0 || dtype == DataType::f16 ||
        dtype == DataType::bf16) {
        return std::nullopt;
    }
    const auto& reducer = *std::ranges::find(reducers, node.node().op_type, &Reducer::op_type);
    const Dims axes = reduced_axes(node);
    const Dims steps = steps_without(dims, axes);
    const Dims result = dims_without(dims, axes, node.integer("keepdims", 1) != 0);
    std::vector<double> values(static_cast<std::size_t>(product(result)), reducer.start);
    std::int64_t element = 0;
    for_each_index(dims, [&](const Dims& index) {
        std::size_t to = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            to += static_cast<std::size_t>(index[axis] * steps[axis]);
        }
        values[to] = reducer.step(values[to], number_at(from, element++));
    });
    if (reducer.is_mean) {
        const double count = static_cast<double>(from.tensor.elements() / product(result));
        std::ranges::for_each(values, [&](double& value) { value /= count; });
    }
    return constant_of({result, dtype}, values);
}

std::optional<Constant> fold_cumulative_sum(const NodeImport& node) {
    const Constant& from = node.known(0);
    const bool plain = node.integer("exclusive", 0) == 0 && node.integer("reverse", 0) == 0;
    if (!plain || !is_small(from.tensor.dims) || is_floating(from.tensor.dtype)) {
        return std::nullopt;
    }
    const std::size_t axis = axis_of(node.integer_of_input(1), from.tensor.dims.size());
    const std::int64_t step = strides_of(from.tensor.dims)[axis];
    auto values = integers_of(from);
    std::size_t element = 0;
    for_each_index(from.tensor.dims, [&](const Dims& index) {
        if (index[axis] > 0) {
            const auto before = values[element - static_cast<std::size_t>(step)];
            values[element] = static_cast<std::int64_t>(
                static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(values[element]));
        }
        ++element;
    });
    return constant_of(from.tensor, values);
}

}  // namespace strata
