// SPDX-License-Identifier: MIT
#include "op/group_normalization.h"

#include "op/normalization.h"
#include "op/operations.h"
#include "op/shape_rule.h"

#include <fmt/format.h>

namespace strata {

std::vector<ParameterShape> GroupNormalization::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    const Tensor& x = activations[0];
    require_rank(type, x, 2);
    if (groups < 0 || (groups > 0 && x.dims[1] % groups != 0)) {
        refuse(type, fmt::format("{} groups must divide the {} channels", groups, x.dims[1]));
    }
    if (!affine) {
        return {};
    }
    const Tensor each = {{x.dims[1]}, x.dtype};
    return {{"scale", each}, {"shift", each}};
}

std::vector<Tensor> GroupNormalization::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// As layer normalisation, each group of an image being one row.
Operations GroupNormalization::operations(const Signature& signature, Pass pass) const {
    const Tensor& y = signature.outputs[0];
    const double elements = count_of(y);
    const double rows =
        static_cast<double>(y.dims[0]) * static_cast<double>(groups == 0 ? y.dims[1] : groups);
    const double affine_part = affine ? 1 : 0;
    Operations forward = times(
        elements, {.multiply_adds = 1, .adds = 2 + affine_part, .multiplies = 1 + affine_part});
    forward += times(rows, {.divides = 3, .transcendentals = 1});
    return pick(
        {.forward = forward,
         .backward_data =
             times(elements, {.multiply_adds = 3, .adds = 2, .multiplies = 1 + affine_part}),
         .backward_weights = times(elements, {.multiply_adds = affine_part, .adds = affine_part})},
        signature, pass);
}

BackwardReads GroupNormalization::reads() const {
    return {.input_for_data = true, .parameters_for_data = affine, .input_for_weights = true};
}

SumShape GroupNormalization::forward_sum(const OperandValues& values) const {
    return strata::forward_sum(rows_of(*this, values.signature), values);
}

SumShape GroupNormalization::gradient_sum(const OperandValues& values, std::size_t operand) const {
    return strata::gradient_sum(rows_of(*this, values.signature), values, operand);
}

}  // namespace strata
