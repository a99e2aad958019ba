// SPDX-License-Identifier: MIT
#include "op/transposed_convolution.h"

#include "op/rules.h"
#include "op/window.h"

#include <fmt/format.h>

namespace strata {

namespace {

// (extent - 1) * stride - pads + dilated kernel + output_pad.
std::int64_t extent_of(const Window& window, std::size_t axis, std::int64_t extent,
                       std::int64_t added) {
    const std::int64_t kernel = window.dilation[axis] * (window.kernel[axis] - 1) + 1;
    return (extent - 1) * window.stride[axis] - window.pad_begin[axis] - window.pad_end[axis] +
           kernel + added;
}

}  // namespace

std::vector<ParameterShape> TransposedConvolution::parameters(
    std::span<const Tensor> activations) const {
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
    Dims weight = {x.dims[1], out_channels / groups};
    weight.insert(weight.end(), window.kernel.begin(), window.kernel.end());
    std::vector<ParameterShape> shapes = {{"weight", shaped(type, weight, x.dtype)}};
    if (bias) {
        shapes.push_back({"bias", {{out_channels}, x.dtype}});
    }
    return shapes;
}

std::vector<Tensor> TransposedConvolution::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 2, 3);
    require_parameters(type, inputs.subspan(1), parameters(inputs.first(1)));
    const Tensor& x = inputs[0];
    const Window window = window_of(*this, x);
    Dims dims = {x.dims[0], out_channels};
    for (std::size_t axis = 0; axis + 2 < x.dims.size(); ++axis) {
        if (x.dims[axis + 2] > max_attribute) {
            refuse(type, fmt::format("extent {} exceeds {}", x.dims[axis + 2], max_attribute));
        }
        const std::int64_t added = output_pad.empty() ? 0 : output_pad[axis];
        if (added < 0 ||
            (added > 0 && added >= std::max(window.stride[axis], window.dilation[axis]))) {
            refuse(type, fmt::format("output_pad {} must be below the stride or the dilation",
                                     to_text(output_pad)));
        }
        dims.push_back(extent_of(window, axis, x.dims[axis + 2], added));
    }
    return {shaped(type, dims, x.dtype)};
}

// Every input element is multiplied by each tap of its channel's kernels: K^2 K / groups
// multiply-adds.
Operations TransposedConvolution::operations(const Signature& signature, Pass pass) const {
    const Tensor& x = signature.inputs[0].tensor;
    const double taps = count_of(signature.inputs[1].tensor) / static_cast<double>(x.dims[1]);
    const double products = count_of(x) * taps;
    const double biased = bias ? count_of(signature.outputs[0]) : 0;
    return pick({.forward = {.multiply_adds = products, .bias_adds = biased},
                 .backward_data = {.multiply_adds = products},
                 .backward_weights = {.multiply_adds = products, .bias_adds = biased}},
                signature, pass);
}

BackwardReads TransposedConvolution::reads() const {
    return {.parameters_for_data = true, .input_for_weights = true};
}

// An output sums over the input channels of its group and, at most, all taps.
SumShape TransposedConvolution::forward_sum(const OperandValues& values) const {
    const Dims& weight = values.input_dims(1);
    const auto taps = static_cast<double>(product(std::span(weight).subspan(2)));
    const double channels = static_cast<double>(weight[0]) / static_cast<double>(groups);
    return {channels * taps, values.rms(0) * values.rms(1)};
}

SumShape TransposedConvolution::gradient_sum(const OperandValues& values,
                                             std::size_t operand) const {
    if (operand == 0) {
        const double taps = values.elements(1) / static_cast<double>(values.input_dims(1)[0]);
        return {taps, values.rms_gradient() * values.rms(1)};
    }
    if (operand == 1) {
        const double summed = values.elements(0) / static_cast<double>(values.input_dims(0)[1]);
        return {summed, values.rms_gradient() * values.rms(0)};
    }
    return {values.output_elements() / static_cast<double>(values.output_dims()[1]),
            values.rms_gradient()};
}

}  // namespace strata
