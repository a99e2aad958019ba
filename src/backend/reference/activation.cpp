// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace strata {

namespace {

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// log(1 + exp x), which must not overflow for large x.
double softplus(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double normal_integral(double x) {
    return std::erfc(-x / std::numbers::sqrt2) / 2;
}

double normal_density(double x) {
    return std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
}

// The factor of gelu_tanh, (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + c x^3), and its slope.
constexpr double gelu_cubic = 0.044715;
constexpr double gelu_scale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;

double gelu_gate(double x) {
    return (1 + std::tanh(gelu_scale * (x + gelu_cubic * x * x * x))) / 2;
}

double gelu_gate_slope(double x) {
    const double t = std::tanh(gelu_scale * (x + gelu_cubic * x * x * x));
    return (1 - t * t) / 2 * gelu_scale * (1 + 3 * gelu_cubic * x * x);
}

double activate(const Activation& op, double x) {
    switch (op.kind) {
        case ActivationKind::relu:
            return std::max(x, 0.0);
        case ActivationKind::leaky_relu:
            return x > 0 ? x : op.alpha * x;
        case ActivationKind::clip:
            return std::min(std::max(x, op.alpha), op.beta);
        case ActivationKind::elu:
            return x > 0 ? x : op.alpha * std::expm1(x);
        case ActivationKind::sigmoid:
            return sigmoid(x);
        case ActivationKind::hard_sigmoid:
            return std::clamp(op.alpha * x + op.beta, 0.0, 1.0);
        case ActivationKind::tanh:
            return std::tanh(x);
        case ActivationKind::softplus:
            return softplus(x);
        case ActivationKind::gelu:
            return x * normal_integral(x);
        case ActivationKind::gelu_tanh:
            return x * gelu_gate(x);
        case ActivationKind::silu:
            return x * sigmoid(x);
        case ActivationKind::hard_swish:
            return x * std::clamp(x / 6 + 0.5, 0.0, 1.0);
        case ActivationKind::mish:
            return x * std::tanh(softplus(x));
        case ActivationKind::softsign:
            return x / (1 + std::abs(x));
        case ActivationKind::selu:
            return op.beta * (x > 0 ? x : op.alpha * std::expm1(x));
        case ActivationKind::celu:
            return x > 0 ? x : op.alpha * std::expm1(x / op.alpha);
        case ActivationKind::thresholded_relu:
            return x > op.alpha ? x : 0;
    }
    return 0;
}

double slope(const Activation& op, double x) {
    const double y = activate(op, x);
    switch (op.kind) {
        case ActivationKind::relu:
            return x > 0 ? 1 : 0;
        case ActivationKind::leaky_relu:
            return x > 0 ? 1 : op.alpha;
        case ActivationKind::clip:
            return x > op.alpha && x < op.beta ? 1 : 0;
        case ActivationKind::elu:
            return x > 0 ? 1 : op.alpha * std::exp(x);
        case ActivationKind::sigmoid:
            return y * (1 - y);
        case ActivationKind::hard_sigmoid:
            return y > 0 && y < 1 ? op.alpha : 0;
        case ActivationKind::tanh:
            return 1 - y * y;
        case ActivationKind::softplus:
            return sigmoid(x);
        case ActivationKind::gelu:
            return normal_integral(x) + x * normal_density(x);
        case ActivationKind::gelu_tanh:
            return gelu_gate(x) + x * gelu_gate_slope(x);
        case ActivationKind::silu:
            return sigmoid(x) + y * (1 - sigmoid(x));
        case ActivationKind::hard_swish:
            return x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5;
        case ActivationKind::mish: {
            const double t = std::tanh(softplus(x));
            return t + x * (1 - t * t) * sigmoid(x);
        }
        case ActivationKind::softsign:
            return 1 / ((1 + std::abs(x)) * (1 + std::abs(x)));
        case ActivationKind::selu:
            return op.beta * (x > 0 ? 1 : op.alpha * std::exp(x));
        case ActivationKind::celu:
            return x > 0 ? 1 : std::exp(x / op.alpha);
        case ActivationKind::thresholded_relu:
            return x > op.alpha ? 1 : 0;
    }
    return 0;
}

}  // namespace

void reference_forward(const Activation& op, const ReferenceOperands& operands) {
    const auto x = operands.inputs[0];
    const auto y = operands.outputs[0];
    parallel_for(y.size(), 4,
                 [&](std::size_t i) { y[i] = static_cast<float>(activate(op, x[i])); });
}

void reference_backward(const Activation& op, const ReferenceOperands& operands) {
    const auto x = operands.inputs[0];
    const auto dy = operands.output_gradients[0];
    const auto dx = operands.input_gradients[0];
    parallel_for(dx.size(), 4,
                 [&](std::size_t i) { dx[i] = static_cast<float>(dy[i] * slope(op, x[i])); });
}

}  // namespace strata
