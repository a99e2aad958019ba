// SPDX-License-Identifier: MIT
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"

#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace strata {

namespace {

// A reduction, and how it is folded: its initial value, and the step for each element.
struct ReductionFunction {
    std::string_view op_type;
    ReductionKind kind;
    double start = 0;
    double (*step)(double, double) = nullptr;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

// THE list of reductions, in ONNX and here.
constexpr std::array reduction_functions = {
    ReductionFunction{"ReduceL1", ReductionKind::l1},
    ReductionFunction{"ReduceL2", ReductionKind::l2},
    ReductionFunction{"ReduceLogSum", ReductionKind::log_sum},
    ReductionFunction{"ReduceLogSumExp", ReductionKind::log_sum_exp},
    ReductionFunction{"ReduceMax", ReductionKind::maximum, -infinity,
                      [](double a, double b) { return std::max(a, b); }},
    ReductionFunction{"ReduceMean", ReductionKind::mean, 0,
                      [](double a, double b) { return a + b; }},
    ReductionFunction{"ReduceMin", ReductionKind::minimum, infinity,
                      [](double a, double b) { return std::min(a, b); }},
    ReductionFunction{"ReduceProd", ReductionKind::product, 1,
                      [](double a, double b) { return a * b; }},
    ReductionFunction{"ReduceSum", ReductionKind::sum, 0, [](double a, double b) { return a + b; }},
    ReductionFunction{"ReduceSumSquare", ReductionKind::sum_of_squares},
};

constexpr auto reduction_attributes = [](auto& op, auto&& attribute) {
    attribute("keepdims", op.keep_axes);
};

// The axes of a reduction, counted from the front and sorted, from input 1 or the attribute. Empty:
// none is reduced (noop_with_empty_axes).
Dims reduced_axes(const NodeImport& node) {
    Dims axes = node.has_input(1) ? node.integers_of_input(1) : node.integers("axes");
    const std::size_t rank = node.input(0).dims.size();
    if (axes.empty() && node.integer("noop_with_empty_axes", 0) == 0) {
        for (std::size_t axis = 0; axis < rank; ++axis) {
            axes.push_back(static_cast<std::int64_t>(axis));
        }
    }
    for (std::int64_t& axis : axes) {
        axis = static_cast<std::int64_t>(axis_of(axis, rank));
    }
    std::ranges::sort(axes);
    if (std::ranges::adjacent_find(axes) != axes.end()) {
        throw Error("its axes repeat");
    }
    return axes;
}

Dims spatial_axes(const Dims& dims) {
    Dims axes(dims.size() < 3 ? 0 : dims.size() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return axes;
}

// A mean over all spatial axes of images is the global pooling of classifiers.
bool is_global_pool(const NodeImport& node, ReductionKind kind, const Dims& axes) {
    const std::size_t rank = node.input(0).dims.size();
    return kind == ReductionKind::mean && rank >= 3 && rank <= 5 &&
           is_floating(node.input(0).dtype) && axes == spatial_axes(node.input(0).dims);
}

void convert_to_pool(const NodeImport& node) {
    Pooling pool;
    pool.kind = PoolingKind::average;
    pool.global = true;
    if (node.integer("keepdims", 1) != 0) {
        return node.result(pool, {node.operand(0)});
    }
    const Dims flat = {node.input(0).dims[0], node.input(0).dims[1]};
    const TensorId mean = node.add("mean", pool, {node.operand(0)});
    node.result(Reshape{.dims = flat}, {mean});
}

void convert_reduction(const NodeImport& node) {
    const auto kind = function_of(node, reduction_functions).kind;
    const Dims axes = reduced_axes(node);
    if (axes.empty() && !node.input(0).dims.empty()) {
        return node.result(Identity{}, {node.operand(0)});
    }
    if (is_global_pool(node, kind, axes)) {
        return convert_to_pool(node);
    }
    node.result(with_attributes(node, Reduction{.kind = kind, .axes = axes}, reduction_attributes),
                {node.operand(0)});
}

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

// In double, which is exact for extents.
std::optional<Constant> fold_reduction(const NodeImport& node) {
    const Constant& from = node.known(0);
    const Dims& dims = from.tensor.dims;
    const DataType dtype = from.tensor.dtype;
    if (!is_small(dims) || from.tensor.elements() == 0 || dtype == DataType::f16 ||
        dtype == DataType::bf16) {
        return std::nullopt;
    }
    const auto& function = function_of(node, reduction_functions);
    const Dims axes = reduced_axes(node);
    const Dims steps = steps_without(dims, axes);
    const Dims result = dims_without(dims, axes, node.integer("keepdims", 1) != 0);
    std::vector<double> values(static_cast<std::size_t>(product(result)), function.start);
    std::int64_t element = 0;
    for_each_index(dims, [&](const Dims& index) {
        std::size_t to = 0;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            to += static_cast<std::size_t>(index[axis] * steps[axis]);
        }
        values[to] = function.step(values[to], number_at(from, element++));
    });
    if (function.kind == ReductionKind::mean) {
        const double count = static_cast<double>(from.tensor.elements() / product(result));
        std::ranges::for_each(values, [&](double& value) { value /= count; });
    }
    return constant_of({result, dtype}, values);
}

void write_reduction(const Reduction& op, LayerWriter& to) {
    std::vector<std::string> inputs = to.inputs();
    if (!op.axes.empty()) {
        inputs.push_back(to.integers(op.axes));
    }
    to.last(function_of_kind(reduction_functions, op.kind)->op_type, inputs,
            attributes_of(op, reduction_attributes));
}

// Positions of the extreme along an axis, which keeps extent 1. TopK finds the first of equal
// elements; the last is the first along the reversed axis.
TensorId extreme_position(const NodeImport& node, Composition& steps, std::size_t axis,
                          bool largest) {
    const std::int64_t extent = node.input(0).dims[axis];
    const auto along = static_cast<std::int64_t>(axis);
    const bool last = node.integer("select_last_index", 0) != 0;
    TensorId x = node.operand(0);
    if (last) {
        x = steps.add(
            Slice{.axes = {along}, .starts = {extent - 1}, .extents = {extent}, .steps = {-1}},
            {x});
    }
    const TensorId found =
        node.add_several("extreme", TopK{.k = 1, .axis = along, .largest = largest}, {x}).at(1);
    if (!last) {
        return found;
    }
    const TensorId end = steps.scalar(static_cast<double>(extent - 1), DataType::s64);
    return steps.difference(end, found);
}

void convert_extreme(const NodeImport& node) {
    const bool largest = node.node().op_type == "ArgMax";
    Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer("axis", 0), dims.size());
    Composition steps(node);
    const TensorId position = extreme_position(node, steps, axis, largest);
    if (node.integer("keepdims", 1) != 0) {
        return node.result(Identity{}, {position});
    }
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    node.result(Reshape{.dims = dims}, {position});
}

constexpr auto top_k_attributes = [](auto& op, auto&& attribute) {
    attribute("axis", op.axis);
    attribute("largest", op.largest);
};

void convert_top_k(const NodeImport& node) {
    const std::int64_t k = node.has_input(1) ? node.integer_of_input(1) : node.integer("k", 1);
    unsupported_if(k < 1, "its result is empty");
    node.results(with_attributes(node, TopK{.k = k, .axis = -1}, top_k_attributes),
                 {node.operand(0)});
}

void write_top_k(const TopK& op, LayerWriter& to) {
    to.last("TopK", {to.in(0), to.integers({op.k})}, attributes_of(op, top_k_attributes));
}

// (sum of |x|^p over some axes)^(1/p), with the axes kept.
TensorId norm(Composition& steps, TensorId x, std::int64_t p, const Dims& axes) {
    if (p == 1 || p == 2) {
        const ReductionKind kind = p == 1 ? ReductionKind::l1 : ReductionKind::l2;
        return steps.add(Reduction{.kind = kind, .axes = axes}, {x});
    }
    const double exponent = static_cast<double>(p);
    const TensorId powers =
        steps.elementwise(ElementwiseKind::power, steps.unary(UnaryKind::absolute, x), exponent);
    const TensorId sum = steps.add(Reduction{.kind = ReductionKind::sum, .axes = axes}, {powers});
    return steps.elementwise(ElementwiseKind::power, sum, 1 / exponent);
}

void convert_lp_normalization(const NodeImport& node) {
    const std::size_t axis = axis_of(node.integer("axis", -1), node.input(0).dims.size());
    Composition steps(node);
    const TensorId x = node.operand(0);
    const TensorId size = norm(steps, x, node.integer("p", 2), {static_cast<std::int64_t>(axis)});
    // ONNX leaves a row of zeros unchanged.
    constexpr double smallest = 0x1p-126;
    node.result(Elementwise{ElementwiseKind::divide},
                {x, steps.elementwise(ElementwiseKind::maximum, size, smallest)});
}

void convert_global_lp_pool(const NodeImport& node) {
    const Dims axes = spatial_axes(node.input(0).dims);
    unsupported_if(axes.empty(), "its input has no spatial axis");
    Composition steps(node);
    node.result(Identity{}, {norm(steps, node.operand(0), node.integer("p", 2), axes)});
}

// (x - mean) / (sqrt(variance) + 1e-9).
void convert_mean_variance_normalization(const NodeImport& node) {
    Dims axes = node.has_attribute("axes") ? reduced_axes(node) : Dims{0, 2, 3};
    for (const std::int64_t axis : axes) {
        axis_of(axis, node.input(0).dims.size());
    }
    Composition steps(node);
    const TensorId x = node.operand(0);
    const TensorId mean = steps.add(Reduction{.kind = ReductionKind::mean, .axes = axes}, {x});
    const TensorId rest = steps.difference(x, mean);
    const TensorId squares = steps.product(rest, rest);
    const TensorId variance =
        steps.add(Reduction{.kind = ReductionKind::mean, .axes = axes}, {squares});
    const TensorId deviation = steps.sum(steps.unary(UnaryKind::square_root, variance), 1e-9);
    node.result(Elementwise{ElementwiseKind::divide}, {rest, deviation});
}

}  // namespace

OnnxRows reduction_rows() {
    static constexpr auto rows = rows_of(
        reduction_functions,
        [](const ReductionFunction& one) {
            return OnnxRow(one.op_type)
                .in(convert_reduction)
                .folded(one.step ? fold_reduction : nullptr, FoldCost::may_shrink)
                .out<write_reduction>();
        },
        std::array{
            OnnxRow("ArgMax").in(convert_extreme),
            OnnxRow("ArgMin").in(convert_extreme),
            OnnxRow("GlobalLpPool").in_floating(convert_global_lp_pool),
            OnnxRow("LpNormalization").in_floating(convert_lp_normalization),
            OnnxRow("MeanVarianceNormalization").in_floating(convert_mean_variance_normalization),
            OnnxRow("QLinearReduceMean", Domain::microsoft).shaped({"ReduceMean", {0}, 0}),
            OnnxRow("TopK").in(convert_top_k, Elements::any, Outputs::several).out<write_top_k>(),
        });
    return rows;
}

}  // namespace strata
