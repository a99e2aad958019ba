// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"
#include "networks/onnx/convert/window.h"

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

// (sum of |x|^p in the window)^(1/p); the sum is the mean over the window, padding included, times
// its size.
void convert_lp_pool(const NodeImport& node) {
    Pooling pool = pooling_of(node, PoolingKind::average);
    if (pool.ceil_mode) {
        throw Unsupported{"windows beyond the padding are not supported"};
    }
    pool.count_include_pad = true;
    const double p = static_cast<double>(node.integer("p", 2));
    Composition steps(node);
    const TensorId size = steps.unary(UnaryKind::absolute, node.operand(0));
    const TensorId mean = steps.add(pool, {steps.elementwise(ElementwiseKind::power, size, p)});
    const TensorId sum = steps.elementwise(ElementwiseKind::multiply, mean,
                                           static_cast<double>(product(pool.kernel)));
    const TensorId exponent = steps.scalar(1 / p, node.input(0).dtype);
    node.result(Elementwise{ElementwiseKind::power}, {sum, exponent});
}

}  // namespace strata
