// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"

#include <array>

namespace strata {

namespace {

// Some exporters keep the habits of opset 6: the second operand is aligned at `axis` instead of at
// the end, which is a reshape of a constant.
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

struct ElementwiseName {
    std::string_view op_type;
    ElementwiseKind kind;
};

constexpr std::array elementwise_functions = {
    ElementwiseName{"Add", ElementwiseKind::add},
    ElementwiseName{"And", ElementwiseKind::logical_and},
    ElementwiseName{"Div", ElementwiseKind::divide},
    ElementwiseName{"Equal", ElementwiseKind::equal},
    ElementwiseName{"Greater", ElementwiseKind::greater},
    ElementwiseName{"GreaterOrEqual", ElementwiseKind::greater_or_equal},
    ElementwiseName{"Less", ElementwiseKind::less},
    ElementwiseName{"LessOrEqual", ElementwiseKind::less_or_equal},
    ElementwiseName{"Max", ElementwiseKind::maximum},
    ElementwiseName{"Min", ElementwiseKind::minimum},
    ElementwiseName{"Mul", ElementwiseKind::multiply},
    ElementwiseName{"Or", ElementwiseKind::logical_or},
    ElementwiseName{"PRelu", ElementwiseKind::prelu},
    ElementwiseName{"Pow", ElementwiseKind::power},
    ElementwiseName{"Sub", ElementwiseKind::subtract},
    ElementwiseName{"Sum", ElementwiseKind::add},
    ElementwiseName{"Xor", ElementwiseKind::logical_xor},
};

// An elementwise function on integers, computed in f32: the result is truncated towards zero.
void finish_whole(const NodeImport& node, ElementwiseKind kind, TensorId a, TensorId b) {
    Composition steps(node);
    const DataType dtype = steps.dtype(a);
    const TensorId real = steps.elementwise(kind, steps.cast(a, DataType::f32), b);
    node.result(Cast{.dtype = dtype}, {real});
}

}  // namespace

void convert_elementwise(const NodeImport& node) {
    const auto kind = row_for(node, elementwise_functions).kind;
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
    const bool is_whole = kind == ElementwiseKind::divide || kind == ElementwiseKind::power;
    if (is_whole && is_integer(node.input(0).dtype)) {
        finish_whole(node, kind, operands.at(0), operands.at(1));
        return;
    }
    node.result(Elementwise{kind}, std::move(operands));
}

// fmod has the dividend's sign: a - b * trunc(a / b).
void convert_modulo(const NodeImport& node) {
    const TensorId a = node.operand(0);
    const TensorId b = node.operand(1);
    if (node.integer("fmod", 0) == 0) {
        node.result(Elementwise{ElementwiseKind::remainder}, {a, b});
        return;
    }
    Composition steps(node);
    const DataType dtype = steps.dtype(a);
    const TensorId quotient =
        steps.elementwise(ElementwiseKind::divide, steps.cast(a, DataType::f32), b);
    const TensorId whole = steps.cast(steps.cast(quotient, DataType::s64), dtype);
    const TensorId product = steps.elementwise(ElementwiseKind::multiply, whole, b);
    node.result(Elementwise{ElementwiseKind::subtract}, {a, product});
}

void convert_mean(const NodeImport& node) {
    std::vector<TensorId> operands;
    for (std::size_t i = 0; i < node.input_count(); ++i) {
        operands.push_back(node.operand(i));
    }
    if (operands.size() == 1) {
        node.result(Identity{}, std::move(operands));
        return;
    }
    Composition steps(node);
    const double count = static_cast<double>(operands.size());
    const TensorId sum = steps.add(Elementwise{ElementwiseKind::add}, std::move(operands));
    const TensorId share = steps.scalar(1 / count, steps.dtype(sum));
    node.result(Elementwise{ElementwiseKind::multiply}, {sum, share});
}

}  // namespace strata
