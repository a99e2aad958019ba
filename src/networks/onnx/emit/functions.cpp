// SPDX-License-Identifier: MIT
#include "base/error.h"
#include "networks/onnx/emit/emitters.h"

#include <array>

namespace strata {

namespace {

std::string_view onnx_name(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::relu:
            return "Relu";
        case ActivationKind::leaky_relu:
            return "LeakyRelu";
        case ActivationKind::elu:
            return "Elu";
        case ActivationKind::sigmoid:
            return "Sigmoid";
        case ActivationKind::hard_sigmoid:
            return "HardSigmoid";
        case ActivationKind::tanh:
            return "Tanh";
        case ActivationKind::softplus:
            return "Softplus";
        case ActivationKind::gelu:
        case ActivationKind::gelu_tanh:
            return "Gelu";
        case ActivationKind::hard_swish:
            return "HardSwish";
        case ActivationKind::mish:
            return "Mish";
        case ActivationKind::softsign:
            return "Softsign";
        case ActivationKind::selu:
            return "Selu";
        case ActivationKind::celu:
            return "Celu";
        case ActivationKind::thresholded_relu:
            return "ThresholdedRelu";
        case ActivationKind::clip:
        case ActivationKind::silu:
            break;
    }
    return {};
}

std::string_view onnx_name(ElementwiseKind kind) {
    constexpr std::array<std::string_view, 17> names = {
        "Add", "Mul",   "Sub",   "Div",  "Max",         "Min",     "Pow",
        "Mod", "PRelu", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
        "And", "Or",    "Xor"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view onnx_name(UnaryKind kind) {
    constexpr std::array<std::string_view, 25> names = {
        "Exp",  "Log",   "Sqrt",  "Reciprocal", "Neg", "Abs",   "Sign", "Erf",  "Floor",
        "Ceil", "Round", "Sin",   "Cos",        "Tan", "Asin",  "Acos", "Atan", "Sinh",
        "Cosh", "Asinh", "Acosh", "Atanh",      "Not", "IsNaN", "IsInf"};
    return names.at(static_cast<std::size_t>(kind));
}

// The remainder with the divisor's sign, which ONNX has only for integers: a - floor(a / b) * b.
void emit_remainder(LayerWriter& to) {
    const std::string whole = to.step("Floor", {to.step("Div", {to.in(0), to.in(1)})});
    to.last("Sub", {to.in(0), to.step("Mul", {whole, to.in(1)})});
}

}  // namespace

void emit(const Activation& op, LayerWriter& to) {
    const DataType dtype = to.input(0).dtype;
    switch (op.kind) {
        case ActivationKind::clip:
            to.last("Clip", {to.in(0), to.number(op.alpha, dtype), to.number(op.beta, dtype)});
            return;
        case ActivationKind::silu:
            to.last("Mul", {to.in(0), to.step("Sigmoid", {to.in(0)})});
            return;
        case ActivationKind::gelu_tanh:
            to.last("Gelu", to.inputs(), {{"approximate", "tanh"}});
            return;
        case ActivationKind::hard_sigmoid:
            to.last("HardSigmoid", to.inputs(), {{"alpha", op.alpha}, {"beta", op.beta}});
            return;
        case ActivationKind::selu:
            to.last("Selu", to.inputs(), {{"alpha", op.alpha}, {"gamma", op.beta}});
            return;
        case ActivationKind::leaky_relu:
        case ActivationKind::elu:
        case ActivationKind::celu:
        case ActivationKind::thresholded_relu:
            to.last(onnx_name(op.kind), to.inputs(), {{"alpha", op.alpha}});
            return;
        default:
            to.last(onnx_name(op.kind), to.inputs());
    }
}

void emit(const Elementwise& op, LayerWriter& to) {
    if (op.kind == ElementwiseKind::remainder && is_floating(to.input(0).dtype)) {
        emit_remainder(to);
        return;
    }
    const bool is_pair = to.input_count() == 2;
    const bool takes_many =
        op.kind == ElementwiseKind::maximum || op.kind == ElementwiseKind::minimum;
    if (is_pair || takes_many) {
        to.last(onnx_name(op.kind), to.inputs());
        return;
    }
    if (op.kind == ElementwiseKind::add) {
        to.last("Sum", to.inputs());
        return;
    }
    std::string product = to.in(0);
    for (std::size_t i = 1; i + 1 < to.input_count(); ++i) {
        product = to.step(onnx_name(op.kind), {product, to.in(i)});
    }
    to.last(onnx_name(op.kind), {product, to.in(to.input_count() - 1)});
}

void emit(const Unary& op, LayerWriter& to) {
    to.last(onnx_name(op.kind), to.inputs());
}

void emit(const Select&, LayerWriter& to) {
    std::vector<std::string> inputs = to.inputs();
    if (to.input(0).dtype != DataType::boolean) {
        inputs[0] = to.step("Cast", {inputs[0]}, {{"to", onnx_type_of(DataType::boolean)}});
    }
    to.last("Where", inputs);
}

void emit(const Cast& op, LayerWriter& to) {
    to.last("Cast", to.inputs(), {{"to", onnx_type_of(op.dtype)}});
}

}  // namespace strata
