// SPDX-License-Identifier: MIT
#include "op/batch_normalization.h"

#include "op/operations.h"
#include "op/shape_rule.h"

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

}  // namespace strata
