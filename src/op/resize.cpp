// SPDX-License-Identifier: MIT
#include "op/resize.h"

#include "op/interpolation.h"
#include "op/operations.h"
#include "op/shape_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Input elements that make one output element.
double taps_of(const Resize& op) {
    const auto axes = static_cast<double>(op.sizes.size());
    switch (op.interpolation) {
        case Interpolation::nearest:
            return 0;
        case Interpolation::linear:
            return std::pow(2.0, axes);
        case Interpolation::cubic:
            return std::pow(4.0, axes);
    }
    return 0;
}

}  // namespace

std::vector<ParameterShape> Resize::parameters(std::span<const Tensor>) const {
    return {};
}

std::vector<Tensor> Resize::outputs(std::span<const Tensor> inputs) const {
    require_operands(type, inputs, 1, 1);
    const Tensor& x = inputs[0];
    require_rank(type, x, 3);
    if (sizes.size() != x.dims.size() - 2) {
        refuse(type, fmt::format("sizes {} have {} axes where the input {} has {} spatial ones",
                                 to_text(sizes), sizes.size(), to_text(x.dims), x.dims.size() - 2));
    }
    Dims dims = {x.dims[0], x.dims[1]};
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    return {shaped(type, dims, x.dtype)};
}

// The weights of the taps are the same for every image and channel and count for nothing.
Operations Resize::operations(const Signature& signature, Pass pass) const {
    const double products = count_of(signature.outputs[0]) * taps_of(*this);
    const double copies =
        interpolation == Interpolation::nearest ? count_of(signature.outputs[0]) : 0;
    return pick({.forward = {.multiply_adds = products},
                 .backward_data = {.multiply_adds = products, .adds = copies}},
                signature, pass);
}

BackwardReads Resize::reads() const {
    return {};
}

// A mean of taps; a gradient is the sum of the shares that an input has in the outputs.
SumShape Resize::forward_sum(const OperandValues& values) const {
    double taps = 1;
    for (const InterpolationAxis& axis :
         interpolation_axes(*this, values.signature.inputs[0].tensor)) {
        taps *= static_cast<double>(axis.each);
    }
    return mean_of(taps, values.rms(0));
}

SumShape Resize::gradient_sum(const OperandValues& values, std::size_t) const {
    const double taps = forward_sum(values).length;
    const double shares = std::max(1.0, values.output_elements() / values.elements(0));
    return {taps * shares, values.rms_gradient() / std::sqrt(taps)};
}

}  // namespace strata
