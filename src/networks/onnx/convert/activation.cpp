// SPDX-License-Identifier: MIT
#include "networks/onnx/convert/composition.h"
#include "networks/onnx/convert/converters.h"

#include <array>
#include <limits>

namespace strata {

namespace {

void convert_to(const NodeImport& node, Activation activation) {
    node.result(activation, {node.operand(0)});
}

// An ONNX activation and the defaults of the attributes that become alpha and beta.
struct ActivationName {
    std::string_view op_type;
    ActivationKind kind;
    double alpha = 0;
    std::string_view second = {};  // the attribute behind beta
    double beta = 0;
};

constexpr std::array activations = {
    ActivationName{"Celu", ActivationKind::celu, 1},
    ActivationName{"Elu", ActivationKind::elu, 1},
    ActivationName{"HardSigmoid", ActivationKind::hard_sigmoid, 0.2, "beta", 0.5},
    ActivationName{"HardSwish", ActivationKind::hard_swish},
    ActivationName{"LeakyRelu", ActivationKind::leaky_relu, 0.01},
    ActivationName{"Mish", ActivationKind::mish},
    ActivationName{"Relu", ActivationKind::relu},
    ActivationName{"Selu", ActivationKind::selu, 1.67326319217681884765625, "gamma",
                   1.05070102214813232421875},
    ActivationName{"Sigmoid", ActivationKind::sigmoid},
    ActivationName{"Softplus", ActivationKind::softplus},
    ActivationName{"Softsign", ActivationKind::softsign},
    ActivationName{"Tanh", ActivationKind::tanh},
    ActivationName{"ThresholdedRelu", ActivationKind::thresholded_relu, 1},
};

// A bound of Clip as a number: an attribute before opset 11, an optional input since.
double bound_of(const NodeImport& node, std::string_view attribute, std::size_t input,
                double absent) {
    if (node.has_input(input)) {
        return node.number_of_input(input);
    }
    return node.number(attribute, absent);
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

}  // namespace

void convert_activation(const NodeImport& node) {
    const auto& entry = row_for(node, activations);
    convert_to(node, {.kind = entry.kind,
                      .alpha = node.number("alpha", entry.alpha),
                      .beta = entry.second.empty() ? 0 : node.number(entry.second, entry.beta)});
}

void convert_clip(const NodeImport& node) {
    const auto is_computed = [&](std::size_t i) { return node.has_input(i) && !node.constant(i); };
    if (is_computed(1) || is_computed(2)) {
        convert_to_extremes(node);
        return;
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

// x * sigmoid(alpha x).
void convert_swish(const NodeImport& node) {
    const double alpha = node.number("alpha", node.node().op_type == "QuickGelu" ? 1.702F : 1.0F);
    if (alpha == 1.0) {
        convert_to(node, {.kind = ActivationKind::silu});
        return;
    }
    Composition steps(node);
    const TensorId x = node.operand(0);
    const TensorId scaled = steps.elementwise(ElementwiseKind::multiply, x, alpha);
    const TensorId gate = steps.add(Activation{.kind = ActivationKind::sigmoid}, {scaled});
    node.result(Elementwise{ElementwiseKind::multiply}, {x, gate});
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
    const TensorId raised = steps.elementwise(ElementwiseKind::add, x, bias);
    const TensorId lowered = steps.elementwise(ElementwiseKind::subtract, x, bias);
    const TensorId upper = steps.add(Select{}, {above, lowered, zero});
    node.result(Select{}, {below, raised, upper});
}

}  // namespace strata
