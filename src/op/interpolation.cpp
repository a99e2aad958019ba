// SPDX-License-Identifier: MIT
#include "op/interpolation.h"

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Where output position i of n lies among m input positions.
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

// The taps of one output position, unbounded.
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
