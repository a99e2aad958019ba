// SPDX-License-Identifier: MIT
#include "op/fully_connected.h"

#include "op/rules.h"

namespace strata {

std::vector<ParameterShape> FullyConnected::parameters(std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    const Tensor& x = activations[0];
    require_rank(type, x, 2);
    require_positive(type, "out_features", out_features);
    const std::int64_t in_features = product(std::span(x.dims).subspan(1));
    std::vector<ParameterShape> shapes = {
        {"weight", shaped(type, {out_features, in_features}, x.dtype)}};
    if (bias) {
        shapes.push_back({"bias", {{out_features}, x.dtype}});
    }
    return shapes;
}

std::vector<Tensor> FullyConnected::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    return {shaped(type, {inputs[0].dims[0], out_features}, inputs[0].dtype)};
}

// Forward, data gradient and weight gradient are one N x in x out product each.
Operations FullyConnected::operations(const Signature& signature, Pass pass) const {
    const double products =
        static_cast<double>(signature.outputs[0].dims[0]) * count_of(signature.inputs[1].tensor);
    const double biased = bias ? count_of(signature.outputs[0]) : 0;
    return pick({.forward = {.multiply_adds = products, .bias_adds = biased},
                 .backward_data = {.multiply_adds = products},
                 .backward_weights = {.multiply_adds = products, .bias_adds = biased}},
                signature, pass);
}

BackwardReads FullyConnected::reads() const {
    return {.parameters_for_data = true, .input_for_weights = true};
}

SumShape FullyConnected::forward_sum(const OperandValues& values) const {
    return {static_cast<double>(values.input_dims(1)[1]), values.rms(0) * values.rms(1)};
}

SumShape FullyConnected::gradient_sum(const OperandValues& values, std::size_t operand) const {
    if (operand == 0) {
        return {static_cast<double>(values.input_dims(1)[0]),
                values.rms_gradient() * values.rms(1)};
    }
    return {static_cast<double>(values.input_dims(0)[0]),
            values.rms_gradient() * (operand == 1 ? values.rms(0) : 1)};
}

}  // namespace strata
