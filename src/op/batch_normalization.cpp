// SPDX-License-Identifier: MIT
#include "op/batch_normalization.h"

#include "op/normalization.h"
#include "op/operations.h"
#include "op/shape_rule.h"

#include <algorithm>

namespace strata {

std::vector<ParameterShape> BatchNormalization::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    const Tensor& x = activations[0];
    require_rank(type, x, 2);
    const Dims dims = scope == NormalizationScope::spatial ? Dims{x.dims[1]}
                                                           : Dims(x.dims.begin() + 1, x.dims.end());
    const Tensor each = shaped(type, dims, x.dtype);
    return {{"scale", each},
            {"shift", each},
            {"mean", each, Role::statistic},
            {"variance", each, Role::statistic}};
}

std::vector<Tensor> BatchNormalization::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 5, 5);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// Of training. Forward, per element: the sum for the mean, x - mean, its square summed, times the
// inverse deviation, times scale plus shift; per statistic: two quotients by the count, epsilon,
// root, inverse, and two running averages of one multiply and one multiply-add each. Backward: the
// weights' pass sums dy and dy * x^ with x^ = (x - mean) * inverse recomputed; the data's dx =
// scale * inverse * (dy - mean(dy) - x^ * mean(dy x^)).
Operations BatchNormalization::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    const double statistics = count_of(signature.inputs[1].tensor);
    Operations forward = times(elements, {.multiply_adds = 2, .adds = 2, .multiplies = 1});
    forward +=
        times(statistics,
              {.multiply_adds = 2, .adds = 1, .multiplies = 2, .divides = 3, .transcendentals = 1});
    Operations data = times(elements, {.multiply_adds = 1, .adds = 2, .multiplies = 2});
    data += times(statistics, {.multiplies = 1, .divides = 2});
    return pick(
        {.forward = forward,
         .backward_data = data,
         .backward_weights = times(elements, {.multiply_adds = 1, .adds = 2, .multiplies = 1})},
        signature, pass);
}

BackwardReads BatchNormalization::reads() const {
    return {.input_for_data = true, .parameters_for_data = true, .input_for_weights = true};
}

namespace {

Conditioning conditioning_of(const BatchNormalization& op, const OperandValues& values) {
    const StatisticGroups groups = groups_of(values.signature);
    Conditioning worst;
    for (std::int64_t g = 0; g < groups.statistics; ++g) {
        const auto at = static_cast<std::size_t>(g);
        const Moments moments = values.training
                                    ? moments_of(groups, values.inputs[0], g)
                                    : Moments{values.inputs[3][at], values.inputs[4][at]};
        worst.include(moments, std::abs(values.inputs[1][at]), op.epsilon);
    }
    return worst;
}

}  // namespace

SumShape BatchNormalization::forward_sum(const OperandValues& values) const {
    return mean_of(values.elements(0) / values.elements(1), conditioning_of(*this, values).forward);
}

SumShape BatchNormalization::gradient_sum(const OperandValues& values, std::size_t operand) const {
    const double summed = values.elements(0) / values.elements(1);
    const Conditioning worst = conditioning_of(*this, values);
    const double normalized = std::max(1.0, worst.normalized);
    if (operand == 0) {
        return mean_of(summed, values.rms_gradient() * worst.factor * normalized);
    }
    return {summed, values.rms_gradient() * (operand == 1 ? normalized : 1)};
}

// The mean of a layer whose input has mean zero (a convolution behind a batch normalisation without
// an activation) is nothing but rounding, so it is judged by the values that were averaged.
SumShape BatchNormalization::statistic_sum(const OperandValues& values, std::size_t operand) const {
    constexpr std::size_t mean_operand = 3;
    const double length = values.elements(0) / values.elements(1);
    return operand == mean_operand ? mean_of(length, (1 - momentum) * values.rms(0))
                                   : SumShape{.length = length};
}

}  // namespace strata
