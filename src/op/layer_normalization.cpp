// SPDX-License-Identifier: MIT
#include "op/layer_normalization.h"

#include "op/normalization.h"
#include "op/operations.h"
#include "op/shape_rule.h"

namespace strata {

namespace {

Dims normalized_dims(const LayerNormalization& op, const Tensor& x) {
    const auto from = axis_index(LayerNormalization::type, op.axis, x.dims.size());
    return Dims(x.dims.begin() + static_cast<std::ptrdiff_t>(from), x.dims.end());
}

}  // namespace

std::vector<ParameterShape> LayerNormalization::parameters(
    std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    require_rank(type, activations[0], 1);
    const Tensor each = {normalized_dims(*this, activations[0]), activations[0].dtype};
    std::vector<ParameterShape> shapes;
    if (scale) {
        shapes.push_back({"scale", each});
    }
    if (shift) {
        shapes.push_back({"shift", each});
    }
    return shapes;
}

std::vector<Tensor> LayerNormalization::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, inputs[0].dims, inputs[0].dtype)};
}

// Forward per element: its part of both sums, the difference, the quotient; scale and shift.
// Backward per element, after the two sums of dy and dy x: dx = a dy + b x + c.
Operations LayerNormalization::operations(const Signature& signature, Pass pass) const {
    const double elements = count_of(signature.outputs[0]);
    const double rows =
        elements / static_cast<double>(product(normalized_dims(*this, signature.outputs[0])));
    const bool centred = kind == NormalizationKind::standard;
    Operations forward = times(
        elements,
        {.multiply_adds = 1, .adds = centred ? 2.0 : 0.0, .multiplies = 1.0 + (scale ? 1 : 0)});
    forward.adds += shift ? elements : 0;
    forward += times(rows, {.divides = centred ? 3.0 : 2.0, .transcendentals = 1});
    return pick({.forward = forward,
                 .backward_data = times(elements, {.multiply_adds = 3,
                                                   .adds = centred ? 2.0 : 0.0,
                                                   .multiplies = 1.0 + (scale ? 1 : 0)}),
                 .backward_weights = times(
                     elements, {.multiply_adds = scale ? 1.0 : 0.0, .adds = shift ? 1.0 : 0.0})},
                signature, pass);
}

BackwardReads LayerNormalization::reads() const {
    return {.input_for_data = true, .parameters_for_data = scale, .input_for_weights = true};
}

std::string LayerNormalization::kind_name() const {
    return kind == NormalizationKind::standard ? "layer_normalization" : "rms_normalization";
}

SumShape LayerNormalization::forward_sum(const OperandValues& values) const {
    return strata::forward_sum(rows_of(*this, values.signature), values);
}

SumShape LayerNormalization::gradient_sum(const OperandValues& values, std::size_t operand) const {
    return strata::gradient_sum(rows_of(*this, values.signature), values, operand);
}

}  // namespace strata
