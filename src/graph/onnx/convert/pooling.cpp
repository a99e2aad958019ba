// SPDX-License-Identifier: MIT
#include "graph/onnx/convert/converters.h"
#include "graph/onnx/convert/window.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

Pooling pooling_of(const NodeImport& node, PoolingKind kind) {
    const OnnxWindow window = window_of(node, {});
    return {.kind = kind,
            .kernel = window.kernel,
            .stride = window.stride,
            .dilation = window.dilation,
            .pad_begin = window.pad_begin,
            .pad_end = window.pad_end,
            .ceil_mode = node.integer("ceil_mode", 0) != 0,
            .count_include_pad = node.integer("count_include_pad", 0) != 0,
            .global = false};
}

Pooling global(PoolingKind kind) {
    Pooling pooling;
    pooling.kind = kind;
    pooling.global = true;
    return pooling;
}

// The axes of a reduction, from attribute or input, counted from the front and sorted.
Dims reduced_axes(const NodeImport& node) {
    Dims axes = node.has_input(1) ? node.integers_of_input(1) : node.integers("axes");
    const std::int64_t rank = std::ssize(node.input(0).dims);
    for (std::int64_t& axis : axes) {
        axis += axis < 0 ? rank : 0;
    }
    std::ranges::sort(axes);
    return axes;
}

}  // namespace

void convert_max_pool(const NodeImport& node) {
    node.result(pooling_of(node, PoolingKind::max), {node.operand(0)});
}

void convert_average_pool(const NodeImport& node) {
    node.result(pooling_of(node, PoolingKind::average), {node.operand(0)});
}

void convert_global_max_pool(const NodeImport& node) {
    node.result(global(PoolingKind::max), {node.operand(0)});
}

void convert_global_average_pool(const NodeImport& node) {
    node.result(global(PoolingKind::average), {node.operand(0)});
}

void convert_reduce_mean(const NodeImport& node) {
    const Dims& dims = node.input(0).dims;
    Dims spatial(dims.size() < 3 ? 0 : dims.size() - 2);
    std::iota(spatial.begin(), spatial.end(), 2);
    if (spatial.empty() || reduced_axes(node) != spatial) {
        throw Unsupported{"only a mean over all spatial axes of images is known"};
    }
    if (node.integer("keepdims", 1) != 0) {
        node.result(global(PoolingKind::average), {node.operand(0)});
        return;
    }
    const Dims flat = {dims[0], dims[1]};
    const TensorId mean = node.add("mean", global(PoolingKind::average), {node.operand(0)});
    node.result(Reshape{.dims = flat}, {mean});
}

}  // namespace strata
