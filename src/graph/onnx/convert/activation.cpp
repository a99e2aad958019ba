// SPDX-License-Identifier: MIT
#include "graph/onnx/convert/converters.h"

#include <limits>

namespace strata {

namespace {

void convert_to(const NodeImport& node, Activation activation) {
    node.result(activation, {node.operand(0)});
}

// A bound of Clip: an attribute before opset 11, an optional input since.
double bound_of(const NodeImport& node, std::string_view attribute, std::size_t input,
                double absent) {
    if (node.has_input(input)) {
        return node.number_of_input(input);
    }
    return node.number(attribute, absent);
}

}  // namespace

void convert_relu(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::relu});
}

void convert_leaky_relu(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::leaky_relu, .alpha = node.number("alpha", 0.01)});
}

void convert_clip(const NodeImport& node) {
    constexpr double widest = std::numeric_limits<float>::max();
    convert_to(node, {.kind = ActivationKind::clip,
                      .alpha = bound_of(node, "min", 1, -widest),
                      .beta = bound_of(node, "max", 2, widest)});
}

void convert_elu(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::elu, .alpha = node.number("alpha", 1)});
}

void convert_sigmoid(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::sigmoid});
}

void convert_hard_sigmoid(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::hard_sigmoid,
                      .alpha = node.number("alpha", 0.2),
                      .beta = node.number("beta", 0.5)});
}

void convert_tanh(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::tanh});
}

void convert_softplus(const NodeImport& node) {
    convert_to(node, {.kind = ActivationKind::softplus});
}

}  // namespace strata
