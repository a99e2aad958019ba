// SPDX-License-Identifier: MIT
#include "op/convolution.h"

#include "op/rules.h"
#include "op/window.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata {

std::vector<ParameterShape> Convolution::parameters(std::span<const Tensor> activations) const {
    require_operands(type, activations, 1, 1);
    const Tensor& x = activations[0];
    const Window window = window_of(*this, x);
    require_positive(type, "out_channels", out_channels);
    require_positive(type, "groups", groups);
    if (x.dims[1] % groups != 0 || out_channels % groups != 0) {
        refuse(type,
               fmt::format("groups {} must divide both the {} input and the {} output channels",
                           groups, x.dims[1], out_channels));
    }
    Dims weight = {out_channels, x.dims[1] / groups};
    weight.insert(weight.end(), window.kernel.begin(), window.kernel.end());
    std::vector<ParameterShape> shapes = {{"weight", shaped(type, weight, x.dtype)}};
    if (bias) {
        shapes.push_back({"bias", {{out_channels}, x.dtype}});
    }
    return shapes;
}

std::vector<Tensor> Convolution::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    const Tensor& x = inputs[0];
    Dims dims = {x.dims[0], out_channels};
    std::ranges::copy(
        positions(type, window_of(*this, x), std::span(x.dims).subspan(2), WindowRounding::floor),
        std::back_inserter(dims));
    return {shaped(type, dims, x.dtype)};
}

// Forward, data gradient and weight gradient each multiply every output element's window of K^2 *
// Cin / groups taps, including taps in the padding (the nominal 2 K^2 Cin Ho Wo Cout).
Operations Convolution::operations(const Signature& signature, Pass pass) const {
    const double y = count_of(signature.outputs[0]);
    const double taps = count_of(signature.inputs[1].tensor) / static_cast<double>(out_channels);
    const double biased = bias ? y : 0;
    return pick({.forward = {.multiply_adds = y * taps, .bias_adds = biased},
                 .backward_data = {.multiply_adds = y * taps},
                 .backward_weights = {.multiply_adds = y * taps, .bias_adds = biased}},
                signature, pass);
}

BackwardReads Convolution::reads() const {
    return {.parameters_for_data = true, .input_for_weights = true};
}

// Every weight of an output channel contributes to each of its elements.
SumShape Convolution::forward_sum(const OperandValues& values) const {
    return {values.elements(1) / static_cast<double>(values.input_dims(1)[0]),
            values.rms(0) * values.rms(1)};
}

SumShape Convolution::gradient_sum(const OperandValues& values, std::size_t operand) const {
    const Dims& weight = values.input_dims(1);
    if (operand == 0) {
        const auto taps = static_cast<double>(product(std::span(weight).subspan(2)));
        const double channels =
            values.elements(1) / taps / static_cast<double>(values.input_dims(0)[1]);
        return {channels * taps, values.rms_gradient() * values.rms(1)};
    }
    const double summed = values.output_elements() / static_cast<double>(values.output_dims()[1]);
    return {summed, values.rms_gradient() * (operand == 1 ? values.rms(0) : 1)};
}

}  // namespace strata
