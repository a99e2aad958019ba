// SPDX-License-Identifier: MIT
#include "networks/onnx/arrangement.h"
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/computed_gather.h"
#include "networks/onnx/convert/converters.h"

#include <fmt/format.h>
#include <array>
#include <numeric>

namespace strata {

namespace {

struct ReductionName {
    std::string_view op_type;
    ReductionKind kind;
};

constexpr std::array reductions = {
    ReductionName{"ReduceL1", ReductionKind::l1},
    ReductionName{"ReduceL2", ReductionKind::l2},
    ReductionName{"ReduceLogSum", ReductionKind::log_sum},
    ReductionName{"ReduceLogSumExp", ReductionKind::log_sum_exp},
    ReductionName{"ReduceMax", ReductionKind::maximum},
    ReductionName{"ReduceMean", ReductionKind::mean},
    ReductionName{"ReduceMin", ReductionKind::minimum},
    ReductionName{"ReduceProd", ReductionKind::product},
    ReductionName{"ReduceSum", ReductionKind::sum},
    ReductionName{"ReduceSumSquare", ReductionKind::sum_of_squares},
};

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
        node.result(pool, {node.operand(0)});
        return;
    }
    const Dims flat = {node.input(0).dims[0], node.input(0).dims[1]};
    const TensorId mean = node.add("mean", pool, {node.operand(0)});
    node.result(Reshape{.dims = flat}, {mean});
}

}  // namespace

void convert_reduction(const NodeImport& node) {
    const auto kind = row_for(node, reductions).kind;
    const Dims axes = reduced_axes(node);
    if (axes.empty() && !node.input(0).dims.empty()) {
        node.result(Identity{}, {node.operand(0)});
        return;
    }
    if (is_global_pool(node, kind, axes)) {
        convert_to_pool(node);
        return;
    }
    node.result(
        Reduction{.kind = kind, .axes = axes, .keep_axes = node.integer("keepdims", 1) != 0},
        {node.operand(0)});
}

namespace {

// Positions of the extreme along an axis, which keeps extent 1. TopK finds the first of equal
// elements; the last is the first of the reversed axis.
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
    return steps.elementwise(ElementwiseKind::subtract, end, found);
}

void convert_extreme(const NodeImport& node, bool largest) {
    Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer("axis", 0), dims.size());
    Composition steps(node);
    const TensorId position = extreme_position(node, steps, axis, largest);
    if (node.integer("keepdims", 1) != 0) {
        node.result(Identity{}, {position});
        return;
    }
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
    node.result(Reshape{.dims = dims}, {position});
}

}  // namespace

void convert_arg_max(const NodeImport& node) {
    convert_extreme(node, true);
}

void convert_arg_min(const NodeImport& node) {
    convert_extreme(node, false);
}

void convert_top_k(const NodeImport& node) {
    const std::int64_t k = node.has_input(1) ? node.integer_of_input(1) : node.integer("k", 1);
    if (k < 1) {
        throw Unsupported{"its result is empty"};
    }
    node.results(
        TopK{.k = k, .axis = node.integer("axis", -1), .largest = node.integer("largest", 1) != 0},
        {node.operand(0)});
}

namespace {

// Whether element `from` is part of the sum at `to`.
bool is_summed(const NodeImport& node, std::int64_t from, std::int64_t to) {
    const bool exclusive = node.integer("exclusive", 0) != 0;
    const bool reverse = node.integer("reverse", 0) != 0;
    const std::int64_t ahead = reverse ? from - to : to - from;
    return ahead > 0 || (ahead == 0 && !exclusive);
}

Constant triangle(const NodeImport& node, std::int64_t extent) {
    if (extent > 1024) {
        throw Unsupported{fmt::format("a cumulative sum over {} is too long", extent)};
    }
    node.spend(extent * extent);
    std::vector<double> ones;
    for (std::int64_t from = 0; from < extent; ++from) {
        for (std::int64_t to = 0; to < extent; ++to) {
            ones.push_back(is_summed(node, from, to) ? 1 : 0);
        }
    }
    return constant_of({{extent, extent}, DataType::f32}, ones);
}

}  // namespace

// The product with a triangular matrix of ones, after moving the axis to the end.
void convert_cumulative_sum(const NodeImport& node) {
    const Dims dims = node.input(0).dims;
    const std::size_t axis = axis_of(node.integer_of_input(1), dims.size());
    Dims order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[axis], order.back());
    Composition steps(node);
    const TensorId last = steps.transpose(node.operand(0), order);
    const Dims moved = steps.dims(last);
    const TensorId matrix = steps.reshape(last, {product(moved) / moved.back(), moved.back()});
    const TensorId summed =
        steps.add(MatMul{}, {matrix, steps.constant(triangle(node, moved.back()))});
    const TensorId back = steps.reshape(summed, moved);
    if (std::ranges::is_sorted(order)) {
        node.result(Identity{}, {back});
        return;
    }
    node.result(Transpose{.permutation = order}, {back});
}

namespace {

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

}  // namespace

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
    if (axes.empty()) {
        throw Unsupported{"its input has no spatial axis"};
    }
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
    const TensorId rest = steps.elementwise(ElementwiseKind::subtract, x, mean);
    const TensorId squares = steps.elementwise(ElementwiseKind::multiply, rest, rest);
    const TensorId variance =
        steps.add(Reduction{.kind = ReductionKind::mean, .axes = axes}, {squares});
    const TensorId deviation = steps.elementwise(
        ElementwiseKind::add, steps.unary(UnaryKind::square_root, variance), 1e-9);
    node.result(Elementwise{ElementwiseKind::divide}, {rest, deviation});
}

}  // namespace strata
