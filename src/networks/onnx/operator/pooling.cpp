// SPDX-License-Identifier: MIT
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"
#include "networks/onnx/operator/window.h"

namespace strata {

namespace {

constexpr auto max_pool_attributes = [](auto& op, auto&& attribute) {
    attribute("ceil_mode", op.ceil_mode);
};

constexpr auto average_pool_attributes = [](auto& op, auto&& attribute) {
    attribute("ceil_mode", op.ceil_mode);
    attribute("count_include_pad", op.count_include_pad);
};

Pooling pooling_of(const NodeImport& node, PoolingKind kind) {
    return with_attributes(node, with_window(Pooling{.kind = kind}, window_of(node, {})),
                           average_pool_attributes);
}

void convert_max_pool(const NodeImport& node) {
    node.result(pooling_of(node, PoolingKind::max), {node.operand(0)});
}

void convert_average_pool(const NodeImport& node) {
    node.result(pooling_of(node, PoolingKind::average), {node.operand(0)});
}

void convert_global_pool(const NodeImport& node) {
    Pooling pooling;
    pooling.kind = node.node().op_type == "GlobalMaxPool" ? PoolingKind::max : PoolingKind::average;
    pooling.global = true;
    node.result(pooling, {node.operand(0)});
}

void write_pooling(const Pooling& op, LayerWriter& to) {
    const bool is_max = op.kind == PoolingKind::max;
    if (op.global) {
        return to.last(is_max ? "GlobalMaxPool" : "GlobalAveragePool", to.inputs());
    }
    LayerWriter::Attributes attributes = window_attributes(op);
    if (is_max) {
        max_pool_attributes(op, WriteAttribute{attributes});
    } else {
        average_pool_attributes(op, WriteAttribute{attributes});
    }
    to.last(is_max ? "MaxPool" : "AveragePool", to.inputs(), attributes);
}

// (sum of |x|^p in the window)^(1/p); the sum is the window's size times its mean, padding
// included.
void convert_lp_pool(const NodeImport& node) {
    Pooling pool = pooling_of(node, PoolingKind::average);
    unsupported_if(pool.ceil_mode, "windows beyond the padding are not supported");
    pool.count_include_pad = true;
    const double p = static_cast<double>(node.integer("p", 2));
    Composition steps(node);
    const TensorId size = steps.unary(UnaryKind::absolute, node.operand(0));
    const TensorId mean = steps.add(pool, {steps.elementwise(ElementwiseKind::power, size, p)});
    const TensorId sum = steps.product(mean, static_cast<double>(product(pool.kernel)));
    const TensorId exponent = steps.scalar(1 / p, node.input(0).dtype);
    node.result(Elementwise{ElementwiseKind::power}, {sum, exponent});
}

KnownResults regions_of_interest(const NodeImport& node) {
    const Tensor& x = node.input(0);
    const Tensor& regions = node.input(1);
    const Dims extents = node.has_attribute("pooled_shape") ? node.integers("pooled_shape")
                         : node.has_input(3)                ? node.integers_of_input(3)
                                                            : Dims{node.integer("output_height", 1),
                                                    node.integer("output_width", 1)};
    unsupported_if(x.dims.size() != 4 || regions.dims.empty() || extents.size() != 2,
                   "its regions are not known");
    return uncounted_result(
        {sane_extents({regions.dims[0], x.dims[1], extents[0], extents[1]}), x.dtype});
}

KnownResults unpooled(const NodeImport& node) {
    Tensor y = node.input(0);
    if (node.has_input(2)) {
        y.dims = sane_extents(node.integers_of_input(2));
        return moved_result(std::move(y));
    }
    const Dims kernel = sane_extents(node.integers("kernel_shape"));
    const std::size_t axes = kernel.size();
    const auto at = [](const Dims& list, std::size_t i, std::int64_t absent) {
        return i < list.size() ? list[i] : absent;
    };
    const Dims strides = sane_extents(node.integers("strides"));
    const Dims pads = sane_extents(node.integers("pads"));
    unsupported_if(y.dims.size() != axes + 2, "its kernel does not fit");
    for (std::size_t i = 0; i < axes; ++i) {
        const std::int64_t reach = product(Dims{y.dims[i + 2] - 1, at(strides, i, 1)});
        y.dims[i + 2] = reach + kernel[i] - at(pads, i, 0) - at(pads, axes + i, 0);
    }
    y.dims = sane_extents(y.dims);
    return moved_result(std::move(y));
}

}  // namespace

OnnxRows pooling_rows() {
    static constexpr std::array rows = {
        OnnxRow("AveragePool").in_floating(convert_average_pool).out<write_pooling>(),
        OnnxRow("CropAndResize", Domain::microsoft).shaped(regions_of_interest),
        OnnxRow("GlobalAveragePool").in_floating(convert_global_pool).out<write_pooling>(),
        OnnxRow("GlobalMaxPool").in_floating(convert_global_pool).out<write_pooling>(),
        OnnxRow("LpPool").in_floating(convert_lp_pool),
        OnnxRow("MaxPool")
            .in(convert_max_pool)
            .shaped({"MaxPool", {0}, 0, {}, DataType::s64})
            .out<write_pooling>(),
        OnnxRow("MaxRoiPool").shaped(regions_of_interest),
        OnnxRow("MaxUnpool").shaped(unpooled),
        OnnxRow("NhwcMaxPool", Domain::microsoft).shaped({"MaxPool", {0}, 0}),
        OnnxRow("QLinearAveragePool", Domain::microsoft).shaped({"AveragePool", {0}, 0}),
        OnnxRow("QLinearGlobalAveragePool", Domain::microsoft)
            .shaped({"GlobalAveragePool", {0}, 0}),
        OnnxRow("RoiAlign").shaped(regions_of_interest),
    };
    return rows;
}

}  // namespace strata
