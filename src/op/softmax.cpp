// SPDX-License-Identifier: MIT
#include "op/softmax.h"

#include "op/rules.h"

namespace strata {

namespace {

// Per element: maximum, difference to it, exponential, sum, quotient; backward y (dy - sum(dy y)).
constexpr PassOperations of_probability = {
    .forward = {.adds = 2, .divides = 1, .compares = 1, .transcendentals = 1},
    .backward_data = {.multiply_adds = 1, .adds = 1, .multiplies = 1}};

// Per element: the same, with the logarithm of the sum subtracted; backward dy - exp(y) sum(dy).
constexpr PassOperations of_logarithm = {
    .forward = {.adds = 3, .compares = 1, .transcendentals = 1},
    .backward_data = {.multiply_adds = 1, .adds = 1, .transcendentals = 1}};

}  // namespace

std::vector<ParameterShape> Softmax::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Softmax::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    axis_index(type, axis, inputs[0].dims.size());
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

Operations Softmax::operations(const Signature& signature, Pass pass) const {
    const Tensor& y = signature.outputs[0];
    const double elements = count_of(y);
    PassOperations all = logarithm ? of_logarithm : of_probability;
    all = {.forward = times(elements, all.forward),
           .backward_data = times(elements, all.backward_data)};
    if (logarithm) {  // one logarithm per row
        const auto row = static_cast<double>(y.dims[axis_index(type, axis, y.dims.size())]);
        all.forward.transcendentals += elements / row;
    }
    return pick(all, signature, pass);
}

BackwardReads Softmax::reads() const {
    return {.output_for_data = true};
}

std::string Softmax::kind_name() const {
    return logarithm ? "log_softmax" : "softmax";
}

}  // namespace strata
