// SPDX-License-Identifier: MIT
#include "backend/reference/operators.h"
#include "backend/reference/parallel.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

// log(1 + exp x), which must not overflow for large x.
double softplus(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

double value(const Activation& op, double x) {
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
    }
    return 0;
}

double slope(const Activation& op, double x) {
    const double y = value(op, x);
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
    }
    return 0;
}

}  // namespace

void reference_forward(const Activation& op, const ReferenceOperands& operands) {
    const auto x = operands.inputs[0];
    const auto y = operands.outputs[0];
    parallel_for(y.size(), 4, [&](std::size_t i) { y[i] = static_cast<float>(value(op, x[i])); });
}

void reference_backward(const Activation& op, const ReferenceOperands& operands) {
    const auto x = operands.inputs[0];
    const auto dy = operands.output_gradients[0];
    const auto dx = operands.input_gradients[0];
    parallel_for(dx.size(), 4,
                 [&](std::size_t i) { dx[i] = static_cast<float>(dy[i] * slope(op, x[i])); });
}

}  // namespace strata
