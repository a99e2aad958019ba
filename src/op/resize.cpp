// SPDX-License-Identifier: MIT
#include "op/resize.h"

#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Input elements that contribute to one output element.
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
        refuse(type, fmt::format("sizes {} have {} axes, but the input {} has {} spatial axes",
                                 to_text(sizes), sizes.size(), to_text(x.dims), x.dims.size() - 2));
    }
    Dims dims = {x.dims[0], x.dims[1]};
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    return {shaped(type, dims, x.dtype)};
}

// The tap weights are the same for every image and channel and are not counted.
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

// An output is a weighted mean of taps; a gradient sums over the outputs that an input contributes
// to.
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

namespace {

// The input coordinate, of m positions, of output position i of n.
double source_of(Coordinates coordinates, std::int64_t i, std::int64_t n, std::int64_t m) {
    const auto at = static_cast<double>(i), outputs = static_cast<double>(n);
    const auto inputs = static_cast<double>(m);
    switch (coordinates) {
        case Coordinates::half_pixel:
            return (at + 0.5) * inputs / outputs - 0.5;
        case Coordinates::pytorch_half_pixel:
            return n > 1 ? (at + 0.5) * inputs / outputs - 0.5 : 0;
        case Coordinates::asymmetric:
            return at * inputs / outputs;
        case Coordinates::align_corners:
            return n > 1 ? at * (inputs - 1) / (outputs - 1) : 0;
    }
    return 0;
}

double rounded(NearestRounding rounding, double at) {
    switch (rounding) {
        case NearestRounding::half_down:
            return std::ceil(at - 0.5);
        case NearestRounding::half_up:
            return std::floor(at + 0.5);
        case NearestRounding::down:
            return std::floor(at);
        case NearestRounding::up:
            return std::ceil(at);
    }
    return at;
}

// The convolution kernel of Keys 1981 at a distance, with its coefficient a.
double keys_kernel(double distance, double a) {
    const double x = std::abs(distance);
    if (x <= 1) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// The taps of one output position, not yet clamped to the input.
std::vector<InterpolationTap> taps_at(const Resize& op, double at) {
    if (op.interpolation == Interpolation::nearest) {
        return {{static_cast<std::int64_t>(rounded(op.rounding, at)), 1}};
    }
    const double below = std::floor(at), share = at - below;
    const auto first = static_cast<std::int64_t>(below);
    if (op.interpolation == Interpolation::linear) {
        return {{first, 1 - share}, {first + 1, share}};
    }
    std::vector<InterpolationTap> taps;
    for (std::int64_t tap = -1; tap <= 2; ++tap) {
        const double distance = share - static_cast<double>(tap);
        taps.push_back({first + tap, keys_kernel(distance, op.cubic_coefficient)});
    }
    return taps;
}

InterpolationAxis axis_of(const Resize& op, std::int64_t input, std::int64_t output) {
    InterpolationAxis axis = {.input = input, .output = output, .taps = {}};
    for (std::int64_t i = 0; i < output; ++i) {
        auto taps = taps_at(op, source_of(op.coordinates, i, output, input));
        axis.each = taps.size();
        for (InterpolationTap& tap : taps) {
            tap.position = std::clamp<std::int64_t>(tap.position, 0, input - 1);
            axis.taps.push_back(tap);
        }
    }
    return axis;
}

}  // namespace

std::vector<InterpolationAxis> interpolation_axes(const Resize& op, const Tensor& input) {
    std::vector<InterpolationAxis> axes;
    for (std::size_t i = 0; i < op.sizes.size(); ++i) {
        axes.push_back(axis_of(op, input.dims[i + 2], op.sizes[i]));
    }
    return axes;
}

}  // namespace strata
