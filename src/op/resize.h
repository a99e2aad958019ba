// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>
#include <vector>

namespace strata {

// How values between elements are interpolated.
enum class Interpolation { nearest, linear, cubic };

inline constexpr std::array<std::string_view, 3> names_of(Interpolation) {
    return {"nearest", "linear", "cubic"};
}

// The input coordinate (of m) of output position i (of n): (i + 0.5) m / n - 0.5; the same, but 0
// if n is 1; i m / n; i (m - 1) / (n - 1).
enum class Coordinates { half_pixel, pytorch_half_pixel, asymmetric, align_corners };

inline constexpr std::array<std::string_view, 4> names_of(Coordinates) {
    return {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"};
}

// Which neighbour is nearest: round, with halves down or up; floor; or ceiling.
enum class NearestRounding { half_down, half_up, down, up };

inline constexpr std::array<std::string_view, 4> names_of(NearestRounding) {
    return {"half_down", "half_up", "down", "up"};
}

// Interpolation of the spatial axes of x[N,C,spatial] to `sizes` (ONNX Resize). `coordinates` maps
// an output position to the input, `rounding` picks the neighbour for nearest; cubic is the
// convolution kernel of Keys 1981 with `cubic_coefficient`.
struct Resize {
    static constexpr std::string_view type = "resize";
    Dims sizes = {};
    Interpolation interpolation = Interpolation::nearest;
    Coordinates coordinates = Coordinates::half_pixel;
    NearestRounding rounding = NearestRounding::half_down;
    double cubic_coefficient = -0.75;

    bool operator==(const Resize&) const = default;

    template <class Self, class Visitor>
    static void fields(Self& self, Visitor&& visit) {
        visit("sizes", self.sizes);
        visit("interpolation", self.interpolation);
        visit("coordinates", self.coordinates);
        visit("rounding", self.rounding);
        visit("cubic_coefficient", self.cubic_coefficient);
    }

    std::vector<ParameterShape> parameters(std::span<const Tensor> activations) const;
    std::vector<Tensor> outputs(std::span<const Tensor> inputs) const;
    Operations operations(const Signature& signature, Pass pass) const;
    BackwardReads reads() const;
    SumShape forward_sum(const OperandValues& values) const;
    SumShape gradient_sum(const OperandValues& values, std::size_t operand) const;
};

// One input position that contributes to an output position, and its weight.
struct InterpolationTap {
    std::int64_t position = 0;
    double weight = 1;

    bool operator==(const InterpolationTap&) const = default;
};

// The taps of one axis: `each` taps for every output position, in order, with positions beyond the
// edges clamped. A resize is the product of its axes.
struct InterpolationAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::size_t each = 1;
    std::vector<InterpolationTap> taps;
};

// The taps of each spatial axis for this input.
std::vector<InterpolationAxis> interpolation_axes(const Resize& op, const Tensor& input);

}  // namespace strata
