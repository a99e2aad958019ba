// SPDX-License-Identifier: MIT
#include "networks/onnx/node/attributes.h"
#include "networks/onnx/node/composition.h"
#include "networks/onnx/operator/families.h"
#include "networks/onnx/operator/shared.h"

#include <cmath>
#include <limits>

namespace strata {

namespace {

// An ONNX activation: the attributes for alpha and beta, with their defaults, and how it is folded.
struct ActivationFunction {
    std::string_view op_type;
    ActivationKind kind;
    std::string_view first = {};  // the attribute behind alpha; empty: there is none
    double alpha = 0;
    std::string_view second = {};
    double beta = 0;
    double (*of_number)(double) = nullptr;
    std::int64_t (*of_integer)(std::int64_t) = nullptr;
    Elements elements = Elements::floating;
};

// THE list of activations, in ONNX and here.
constexpr std::array activation_functions = {
    ActivationFunction{"Celu", ActivationKind::celu, "alpha", 1},
    ActivationFunction{"Elu", ActivationKind::elu, "alpha", 1},
    ActivationFunction{"HardSigmoid", ActivationKind::hard_sigmoid, "alpha", 0.2, "beta", 0.5},
    ActivationFunction{"HardSwish", ActivationKind::hard_swish},
    ActivationFunction{"LeakyRelu", ActivationKind::leaky_relu, "alpha", 0.01},
    ActivationFunction{"Mish", ActivationKind::mish},
    ActivationFunction{.op_type = "Relu",
                       .kind = ActivationKind::relu,
                       .of_number = [](double x) { return x > 0 ? x : 0; },
                       .of_integer = [](std::int64_t x) { return x > 0 ? x : 0; },
                       .elements = Elements::any},
    ActivationFunction{"Selu", ActivationKind::selu, "alpha", 1.67326319217681884765625, "gamma",
                       1.05070102214813232421875},
    ActivationFunction{.op_type = "Sigmoid",
                       .kind = ActivationKind::sigmoid,
                       .of_number = [](double x) { return 1 / (1 + std::exp(-x)); }},
    ActivationFunction{"Softplus", ActivationKind::softplus},
    ActivationFunction{"Softsign", ActivationKind::softsign},
    ActivationFunction{.op_type = "Tanh",
                       .kind = ActivationKind::tanh,
                       .of_number = [](double x) { return std::tanh(x); }},
    ActivationFunction{"ThresholdedRelu", ActivationKind::thresholded_relu, "alpha", 1},
};

void read_or_write(const ActivationFunction& function, auto& op, auto&& attribute) {
    if (!function.first.empty()) {
        attribute(function.first, op.alpha);
    }
    if (!function.second.empty()) {
        attribute(function.second, op.beta);
    }
}

void convert_to(const NodeImport& node, Activation activation) {
    node.result(activation, {node.operand(0)});
}

void convert_activation(const NodeImport& node) {
    const auto& function = function_of(node, activation_functions);
    Activation activation{.kind = function.kind, .alpha = function.alpha, .beta = function.beta};
    read_or_write(function, activation, ReadAttribute{node});
    convert_to(node, activation);
}

std::optional<Constant> fold_activation(const NodeImport& node) {
    const auto& function = function_of(node, activation_functions);
    return folded_by(node, function.of_number, function.of_integer);
}

void write_activation(const Activation& op, LayerWriter& to) {
    const DataType dtype = to.input(0).dtype;
    if (const auto* function = function_of_kind(activation_functions, op.kind)) {
        LayerWriter::Attributes attributes;
        read_or_write(*function, op, WriteAttribute{attributes});
        to.last(function->op_type, to.inputs(), attributes);
    } else if (op.kind == ActivationKind::clip) {
        to.last("Clip", {to.in(0), to.number(op.alpha, dtype), to.number(op.beta, dtype)});
    } else if (op.kind == ActivationKind::silu) {
        to.last("Mul", {to.in(0), to.step("Sigmoid", {to.in(0)})});
    } else if (op.kind == ActivationKind::gelu_tanh) {
        to.last("Gelu", to.inputs(), {{"approximate", "tanh"}});
    } else {
        to.last("Gelu", to.inputs());
    }
}

// A bound of Clip as a number: an attribute before opset 11, an optional input since.
double bound_of(const NodeImport& node, std::string_view attribute, std::size_t input,
                double absent) {
    return node.has_input(input) ? node.number_of_input(input) : node.number(attribute, absent);
}

// For bounds that are computed at run time.
void convert_to_extremes(const NodeImport& node) {
    Composition steps(node);
    TensorId x = node.operand(0);
    if (node.has_input(1)) {
        x = steps.elementwise(ElementwiseKind::maximum, x, node.operand(1));
    }
    if (node.has_input(2)) {
        x = steps.elementwise(ElementwiseKind::minimum, x, node.operand(2));
    }
    node.result(Identity{}, {x});
}

void convert_clip(const NodeImport& node) {
    const auto is_computed = [&](std::size_t i) { return node.has_input(i) && !node.constant(i); };
    if (is_computed(1) || is_computed(2)) {
        return convert_to_extremes(node);
    }
    constexpr double widest = std::numeric_limits<float>::max();
    const double low = bound_of(node, "min", 1, -widest);
    const double high = bound_of(node, "max", 2, widest);
    // If the bounds cross, the upper one applies.
    convert_to(node, {.kind = ActivationKind::clip, .alpha = std::min(low, high), .beta = high});
}

void convert_gelu(const NodeImport& node) {
    const bool by_tanh = node.text("approximate", "none") == "tanh";
    convert_to(node, {.kind = by_tanh ? ActivationKind::gelu_tanh : ActivationKind::gelu});
}

// gelu(x), or gelu(x + bias).
void convert_bias_gelu(const NodeImport& node) {
    Composition steps(node);
    TensorId x = node.operand(0);
    if (node.has_input(1)) {
        x = steps.sum(x, node.operand(1, Role::parameter));
    }
    const bool by_tanh = node.node().op_type == "FastGelu";
    node.result(Activation{.kind = by_tanh ? ActivationKind::gelu_tanh : ActivationKind::gelu},
                {x});
}

// sigmoid(alpha x).
TensorId gate_of(Composition& steps, TensorId x, double alpha) {
    const TensorId scaled = steps.product(x, alpha);
    return steps.add(Activation{.kind = ActivationKind::sigmoid}, {scaled});
}

// x * sigmoid(alpha x).
void convert_swish(const NodeImport& node) {
    const double alpha = node.number("alpha", node.node().op_type == "QuickGelu" ? 1.702F : 1.0F);
    if (alpha == 1.0) {
        return convert_to(node, {.kind = ActivationKind::silu});
    }
    Composition steps(node);
    const TensorId x = node.operand(0);
    node.result(Elementwise{ElementwiseKind::multiply}, {x, gate_of(steps, x, alpha)});
}

void convert_swiglu(const NodeImport& node) {
    Composition steps(node);
    const double alpha = node.number("alpha", 1);
    const TensorId a = node.operand(0);
    const TensorId gate = alpha == 1.0 ? steps.add(Activation{.kind = ActivationKind::silu}, {a})
                                       : steps.product(a, gate_of(steps, a, alpha));
    node.result(Elementwise{ElementwiseKind::multiply}, {gate, node.operand(1)});
}

// x + bias below -lambd, x - bias above lambd, 0 between.
void convert_shrink(const NodeImport& node) {
    Composition steps(node);
    const TensorId x = node.operand(0);
    const double edge = node.number("lambd", 0.5);
    const double bias = node.number("bias", 0);
    const TensorId zero = steps.scalar(0, steps.dtype(x));
    const TensorId below = steps.elementwise(ElementwiseKind::less, x, -edge);
    const TensorId above = steps.elementwise(ElementwiseKind::greater, x, edge);
    const TensorId raised = steps.sum(x, bias);
    const TensorId lowered = steps.difference(x, bias);
    const TensorId upper = steps.add(Select{}, {above, lowered, zero});
    node.result(Select{}, {below, raised, upper});
}

}  // namespace

OnnxRows activation_rows() {
    static constexpr auto rows = rows_of(
        activation_functions,
        [](const ActivationFunction& one) {
            return OnnxRow(one.op_type)
                .in(convert_activation, one.elements)
                .folded(one.of_number ? fold_activation : nullptr)
                .out<write_activation>();
        },
        std::array{
            OnnxRow("BiasGelu", Domain::microsoft).in_floating(convert_bias_gelu),
            OnnxRow("Clip").in(convert_clip),
            OnnxRow("FastGelu", Domain::microsoft).in_floating(convert_bias_gelu),
            OnnxRow("Gelu", Domain::both).in_floating(convert_gelu),
            OnnxRow("QLinearLeakyRelu", Domain::microsoft).shaped({"LeakyRelu", {0}, 0}),
            OnnxRow("QLinearSigmoid", Domain::microsoft).shaped({"Sigmoid", {0}, 0}),
            OnnxRow("QuickGelu", Domain::microsoft).in_floating(convert_swish),
            OnnxRow("Shrink").in(convert_shrink),
            OnnxRow("SwiGLU").in_floating(convert_swiglu),
            OnnxRow("Swish").in_floating(convert_swish),
        });
    return rows;
}

}  // namespace strata
