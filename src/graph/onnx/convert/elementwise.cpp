// SPDX-License-Identifier: MIT
#include "graph/onnx/convert/converters.h"

#include <algorithm>

namespace strata {

namespace {

// Exporters that carry opset 6 habits on: the second operand is aligned at `axis` instead of at the
// end, which is a reshape of a constant.
bool is_legacy_broadcast(const NodeImport& node) {
    return node.integer("broadcast", 0) != 0 && node.has_attribute("axis");
}

TensorId aligned_operand(const NodeImport& node) {
    const Constant* constant = node.constant(1);
    const std::int64_t free = std::ssize(node.input(0).dims) - std::ssize(node.input(1).dims);
    const std::int64_t axis = node.integer("axis", 0);
    if (!constant || axis < 0 || axis > free) {
        throw Unsupported{"broadcast along an axis is known for constants that fit only"};
    }
    const std::int64_t after = free - axis;
    Dims dims = constant->tensor.dims;
    dims.insert(dims.end(), static_cast<std::size_t>(after), 1);
    return node.operand(1, "aligned", reshaped(*constant, dims), Role::parameter);
}

void convert_to(const NodeImport& node, ElementwiseKind kind) {
    if (node.input_count() == 1) {  // a sum of one
        node.result(Identity{}, {node.operand(0)});
        return;
    }
    if (is_legacy_broadcast(node)) {
        const TensorId second = aligned_operand(node);
        node.result(Elementwise{kind}, {node.operand(0), second});
        return;
    }
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        operands.push_back(node.operand(i));
    }
    node.result(Elementwise{kind}, std::move(operands));
}

}  // namespace

void convert_add(const NodeImport& node) {
    convert_to(node, ElementwiseKind::add);
}

void convert_subtract(const NodeImport& node) {
    convert_to(node, ElementwiseKind::subtract);
}

void convert_multiply(const NodeImport& node) {
    convert_to(node, ElementwiseKind::multiply);
}

void convert_divide(const NodeImport& node) {
    convert_to(node, ElementwiseKind::divide);
}

void convert_maximum(const NodeImport& node) {
    convert_to(node, ElementwiseKind::maximum);
}

void convert_minimum(const NodeImport& node) {
    convert_to(node, ElementwiseKind::minimum);
}

}  // namespace strata
