// SPDX-License-Identifier: MIT
#include "op/activation.h"

#include "op/operations.h"
#include "op/shape_rule.h"

namespace strata {

namespace {

// Per element; y is read again where the derivative is a function of it, else x.
PassOperations per_element(ActivationKind kind) {
    switch (kind) {
        case ActivationKind::relu:  // max(x, 0); dy where y > 0
            return {.forward = {.compares = 1}, .backward_data = {.compares = 1}};
        case ActivationKind::leaky_relu:  // x > 0 ? x : alpha x; dy or alpha dy
            return {.forward = {.multiplies = 1, .compares = 1},
                    .backward_data = {.multiplies = 1, .compares = 1}};
        case ActivationKind::clip:  // two bounds; dy where alpha < y < beta
            return {.forward = {.compares = 2}, .backward_data = {.compares = 2}};
        case ActivationKind::elu:  // x > 0 ? x : alpha (exp x - 1); dy or dy (y + alpha)
            return {.forward = {.adds = 1, .multiplies = 1, .compares = 1, .transcendentals = 1},
                    .backward_data = {.adds = 1, .multiplies = 1, .compares = 1}};
        case ActivationKind::sigmoid:  // 1 / (1 + exp -x); dy y (1 - y)
            return {.forward = {.adds = 1, .divides = 1, .transcendentals = 1},
                    .backward_data = {.adds = 1, .multiplies = 2}};
        case ActivationKind::hard_sigmoid:  // alpha x + beta within 0 ... 1; alpha dy between
            return {.forward = {.multiply_adds = 1, .compares = 2},
                    .backward_data = {.multiplies = 1, .compares = 2}};
        case ActivationKind::tanh:  // dy (1 - y^2)
            return {.forward = {.transcendentals = 1},
                    .backward_data = {.multiply_adds = 1, .multiplies = 1}};
        case ActivationKind::softplus:  // log(1 + exp x); dy / (1 + exp -x)
            return {.forward = {.adds = 1, .transcendentals = 2},
                    .backward_data = {.adds = 1, .divides = 1, .transcendentals = 1}};
        case ActivationKind::gelu:  // x / 2 (1 + erf(x / sqrt 2)); dy (y / x + x density(x))
            return {.forward = {.adds = 1, .multiplies = 3, .transcendentals = 1},
                    .backward_data = {
                        .multiply_adds = 1, .adds = 1, .multiplies = 5, .transcendentals = 2}};
        case ActivationKind::gelu_tanh:  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
            return {
                .forward = {.multiply_adds = 1, .adds = 1, .multiplies = 5, .transcendentals = 1},
                .backward_data = {
                    .multiply_adds = 4, .adds = 1, .multiplies = 7, .transcendentals = 1}};
        case ActivationKind::silu:  // x s(x); dy (s + y (1 - s))
            return {.forward = {.adds = 1, .multiplies = 1, .divides = 1, .transcendentals = 1},
                    .backward_data = {.multiply_adds = 1,
                                      .adds = 2,
                                      .multiplies = 2,
                                      .divides = 1,
                                      .transcendentals = 1}};
        case ActivationKind::hard_swish:  // x clamp(x / 6 + 1/2); dy (x / 3 + 1/2) between
            return {.forward = {.multiply_adds = 1, .multiplies = 1, .compares = 2},
                    .backward_data = {.multiply_adds = 1, .multiplies = 1, .compares = 2}};
        case ActivationKind::mish:  // x tanh(log(1 + exp x))
            return {.forward = {.adds = 1, .multiplies = 1, .transcendentals = 3},
                    .backward_data = {.multiply_adds = 2,
                                      .adds = 2,
                                      .multiplies = 2,
                                      .divides = 1,
                                      .transcendentals = 3}};
        case ActivationKind::softsign:  // x / (1 + |x|); dy / (1 + |x|)^2
            return {.forward = {.adds = 1, .divides = 1, .compares = 1},
                    .backward_data = {.adds = 1, .multiplies = 1, .divides = 1, .compares = 1}};
        case ActivationKind::selu:  // as elu, scaled once more
            return {.forward = {.adds = 1, .multiplies = 2, .compares = 1, .transcendentals = 1},
                    .backward_data = {.adds = 1, .multiplies = 2, .compares = 1}};
        case ActivationKind::celu:  // x > 0 ? x : alpha (exp(x / alpha) - 1)
            return {.forward = {.adds = 1, .multiplies = 2, .compares = 1, .transcendentals = 1},
                    .backward_data = {.adds = 1, .multiplies = 2, .compares = 1}};
        case ActivationKind::thresholded_relu:  // x > alpha ? x : 0
            return {.forward = {.compares = 1}, .backward_data = {.compares = 1}};
    }
    return {};
}

}  // namespace

std::vector<ParameterShape> Activation::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Activation::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

Operations Activation::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    const PassOperations each = per_element(kind);
    return pick({.forward = times(elements, each.forward),
                 .backward_data = times(elements, each.backward_data)},
                signature, pass);
}

// A negative slope turns the sign around, so the output no longer tells on which side the input
// lay.
BackwardReads Activation::reads() const {
    switch (kind) {
        case ActivationKind::relu:
        case ActivationKind::clip:
        case ActivationKind::sigmoid:
        case ActivationKind::tanh:
            return {.output_for_data = true};
        case ActivationKind::leaky_relu:
        case ActivationKind::elu:
            return {.input_for_data = alpha < 0, .output_for_data = alpha >= 0};
        default:
            return {.input_for_data = true};
    }
}

}  // namespace strata
