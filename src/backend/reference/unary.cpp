// SPDX-License-Identifier: MIT
#include "backend/parallel.h"
#include "backend/reference/operators.h"

#include <cmath>
#include <numbers>

namespace strata {

namespace {

double sign_of(double x) {
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

double evaluate(UnaryKind kind, double x) {
    switch (kind) {
        case UnaryKind::exponential:
            return std::exp(x);
        case UnaryKind::logarithm:
            return std::log(x);
        case UnaryKind::square_root:
            return std::sqrt(x);
        case UnaryKind::reciprocal:
            return 1 / x;
        case UnaryKind::negate:
            return -x;
        case UnaryKind::absolute:
            return std::abs(x);
        case UnaryKind::sign:
            return sign_of(x);
        case UnaryKind::error_function:
            return std::erf(x);
        case UnaryKind::floor:
            return std::floor(x);
        case UnaryKind::ceil:
            return std::ceil(x);
        case UnaryKind::round:
            return std::nearbyint(x);  // ties to even
        case UnaryKind::sine:
            return std::sin(x);
        case UnaryKind::cosine:
            return std::cos(x);
        case UnaryKind::tangent:
            return std::tan(x);
        case UnaryKind::arc_sine:
            return std::asin(x);
        case UnaryKind::arc_cosine:
            return std::acos(x);
        case UnaryKind::arc_tangent:
            return std::atan(x);
        case UnaryKind::hyperbolic_sine:
            return std::sinh(x);
        case UnaryKind::hyperbolic_cosine:
            return std::cosh(x);
        case UnaryKind::inverse_hyperbolic_sine:
            return std::asinh(x);
        case UnaryKind::inverse_hyperbolic_cosine:
            return std::acosh(x);
        case UnaryKind::inverse_hyperbolic_tangent:
            return std::atanh(x);
        case UnaryKind::logical_not:
            return x == 0;
        case UnaryKind::is_nan:
            return std::isnan(x);
        case UnaryKind::is_infinite:
            return std::isinf(x);
    }
    return 0;
}

// 1 - x^2 without cancellation near 1.
double rest_of_unit(double x) {
    return (1 - x) * (1 + x);
}

double slope(UnaryKind kind, double x) {
    switch (kind) {
        case UnaryKind::exponential:
            return std::exp(x);
        case UnaryKind::logarithm:
            return 1 / x;
        case UnaryKind::square_root:
            return 1 / (2 * std::sqrt(x));
        case UnaryKind::reciprocal:
            return -1 / (x * x);
        case UnaryKind::negate:
            return -1;
        case UnaryKind::absolute:
            return sign_of(x);
        case UnaryKind::error_function:
            return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
        case UnaryKind::sine:
            return std::cos(x);
        case UnaryKind::cosine:
            return -std::sin(x);
        case UnaryKind::tangent:
            return 1 / (std::cos(x) * std::cos(x));
        case UnaryKind::arc_sine:
            return 1 / std::sqrt(rest_of_unit(x));
        case UnaryKind::arc_cosine:
            return -1 / std::sqrt(rest_of_unit(x));
        case UnaryKind::arc_tangent:
            return 1 / (1 + x * x);
        case UnaryKind::hyperbolic_sine:
            return std::cosh(x);
        case UnaryKind::hyperbolic_cosine:
            return std::sinh(x);
        case UnaryKind::inverse_hyperbolic_sine:
            return 1 / std::sqrt(x * x + 1);
        case UnaryKind::inverse_hyperbolic_cosine:
            return 1 / std::sqrt((x - 1) * (x + 1));
        case UnaryKind::inverse_hyperbolic_tangent:
            return 1 / rest_of_unit(x);
        default:  // step functions
            return 0;
    }
}

}  // namespace

void reference_forward(const Unary& op, const ReferenceOperands& operands) {
    const auto x = operands.inputs[0];
    const auto y = operands.outputs[0];
    parallel_for(y.size(), 16,
                 [&](std::size_t i) { y[i] = static_cast<float>(evaluate(op.kind, x[i])); });
}

void reference_backward(const Unary& op, const ReferenceOperands& operands) {
    const auto x = operands.inputs[0];
    const auto dy = operands.output_gradients[0];
    const auto dx = operands.input_gradients[0];
    parallel_for(dx.size(), 16,
                 [&](std::size_t i) { dx[i] = static_cast<float>(dy[i] * slope(op.kind, x[i])); });
}

}  // namespace strata
