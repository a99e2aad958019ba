// SPDX-License-Identifier: MIT
#include "op/activation.h"

#include "base/error.h"
#include "op/rules.h"

#include <algorithm>
#include <array>

namespace strata {

namespace {

// The cost of one element; the backward pass reads y if the derivative is a function of it, else x.
struct ElementCost {
    ActivationKind kind;
    PassOperations each;
};
constexpr std::array costs = {
    // max(x, 0); dy where y > 0
    ElementCost{ActivationKind::relu,
                {.forward = {.compares = 1}, .backward_data = {.compares = 1}}},
    // x > 0 ? x : alpha x; dy or alpha dy
    ElementCost{ActivationKind::leaky_relu,
                {.forward = {.multiplies = 1, .compares = 1},
                 .backward_data = {.multiplies = 1, .compares = 1}}},
    // two bounds; dy where alpha < y < beta
    ElementCost{ActivationKind::clip,
                {.forward = {.compares = 2}, .backward_data = {.compares = 2}}},
    // x > 0 ? x : alpha (exp x - 1); dy or dy (y + alpha)
    ElementCost{ActivationKind::elu,
                {.forward = {.adds = 1, .multiplies = 1, .compares = 1, .transcendentals = 1},
                 .backward_data = {.adds = 1, .multiplies = 1, .compares = 1}}},
    // 1 / (1 + exp -x); dy y (1 - y)
    ElementCost{ActivationKind::sigmoid,
                {.forward = {.adds = 1, .divides = 1, .transcendentals = 1},
                 .backward_data = {.adds = 1, .multiplies = 2}}},
    // alpha x + beta within 0 ... 1; alpha dy between
    ElementCost{ActivationKind::hard_sigmoid,
                {.forward = {.multiply_adds = 1, .compares = 2},
                 .backward_data = {.multiplies = 1, .compares = 2}}},
    // dy (1 - y^2)
    ElementCost{ActivationKind::tanh,
                {.forward = {.transcendentals = 1},
                 .backward_data = {.multiply_adds = 1, .multiplies = 1}}},
    // log(1 + exp x); dy / (1 + exp -x)
    ElementCost{ActivationKind::softplus,
                {.forward = {.adds = 1, .transcendentals = 2},
                 .backward_data = {.adds = 1, .divides = 1, .transcendentals = 1}}},
    // x / 2 (1 + erf(x / sqrt 2)); dy (y / x + x density(x))
    ElementCost{
        ActivationKind::gelu,
        {.forward = {.adds = 1, .multiplies = 3, .transcendentals = 1},
         .backward_data = {.multiply_adds = 1, .adds = 1, .multiplies = 5, .transcendentals = 2}}},
    // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
    ElementCost{
        ActivationKind::gelu_tanh,
        {.forward = {.multiply_adds = 1, .adds = 1, .multiplies = 5, .transcendentals = 1},
         .backward_data = {.multiply_adds = 4, .adds = 1, .multiplies = 7, .transcendentals = 1}}},
    // x s(x); dy (s + y (1 - s))
    ElementCost{
        ActivationKind::silu,
        {.forward = {.adds = 1, .multiplies = 1, .divides = 1, .transcendentals = 1},
         .backward_data =
             {.multiply_adds = 1, .adds = 2, .multiplies = 2, .divides = 1, .transcendentals = 1}}},
    // x clamp(x / 6 + 1/2); dy (x / 3 + 1/2) between
    ElementCost{ActivationKind::hard_swish,
                {.forward = {.multiply_adds = 1, .multiplies = 1, .compares = 2},
                 .backward_data = {.multiply_adds = 1, .multiplies = 1, .compares = 2}}},
    // x tanh(log(1 + exp x))
    ElementCost{
        ActivationKind::mish,
        {.forward = {.adds = 1, .multiplies = 1, .transcendentals = 3},
         .backward_data =
             {.multiply_adds = 2, .adds = 2, .multiplies = 2, .divides = 1, .transcendentals = 3}}},
    // x / (1 + |x|); dy / (1 + |x|)^2
    ElementCost{ActivationKind::softsign,
                {.forward = {.adds = 1, .divides = 1, .compares = 1},
                 .backward_data = {.adds = 1, .multiplies = 1, .divides = 1, .compares = 1}}},
    // as elu, scaled once more
    ElementCost{ActivationKind::selu,
                {.forward = {.adds = 1, .multiplies = 2, .compares = 1, .transcendentals = 1},
                 .backward_data = {.adds = 1, .multiplies = 2, .compares = 1}}},
    // x > 0 ? x : alpha (exp(x / alpha) - 1)
    ElementCost{ActivationKind::celu,
                {.forward = {.adds = 1, .multiplies = 2, .compares = 1, .transcendentals = 1},
                 .backward_data = {.adds = 1, .multiplies = 2, .compares = 1}}},
    // x > alpha ? x : 0
    ElementCost{ActivationKind::thresholded_relu,
                {.forward = {.compares = 1}, .backward_data = {.compares = 1}}}};

PassOperations per_element(ActivationKind kind) {
    const auto found = std::ranges::find(costs, kind, &ElementCost::kind);
    check(found != costs.end(), "every activation has its cost");
    return found->each;
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

// With a negative slope the output's sign no longer tells the input's
// sign.
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

std::string Activation::kind_name() const {
    return std::string(names_of(kind)[static_cast<std::size_t>(kind)]);
}

}  // namespace strata
