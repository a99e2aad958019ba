// SPDX-License-Identifier: MIT
#pragma once

#include "op/operator.h"

#include <array>
#include <vector>

namespace strata {

// How a value between elements is made.
enum class Interpolation { nearest, linear, cubic };

inline constexpr std::array<std::string_view, 3> names_of(Interpolation) {
    return {"nearest", "linear", "cubic"};
}

// Where position i of n outputs lies among m inputs: (i + 0.5) m / n - 0.5; the same with 0
// where n is 1; i m / n; i (m - 1) / (n - 1).
enum class Coordinates { half_pixel, pytorch_half_pixel, asymmetric, align_corners };

inline constexpr std::array<std::string_view, 4> names_of(Coordinates) {
    return {"half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"};
}

// Which neighbour is nearest: a half goes down, or up; always down, or up.
enum class NearestRounding { half_down, half_up, down, up };

inline constexpr std::array<std::string_view, 4> names_of(NearestRounding) {
    return {"half_down", "half_up", "down", "up"};
}

// Interpolation of the spatial axes of x[N,C,spatial] to `sizes` (ONNX Resize). Coordinates
// say where an output position lies in the input, `rounding` which neighbour nearest takes;
// cubic is the convolution kernel of Keys 1981 with `cubic_coefficient`.
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

// One input position that takes part in an output position, and its share.
struct InterpolationTap {
    std::int64_t position = 0;
    double weight = 1;

    bool operator==(const InterpolationTap&) const = default;
};

// What the positions of one axis are made of: `each` taps for every output position, in order, with
// positions beyond the edges moved to them. A resize is the product of its axes.
struct InterpolationAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::size_t each = 1;
    std::vector<InterpolationTap> taps;
};

// The spatial axes of a layer over this input.
std::vector<InterpolationAxis> interpolation_axes(const Resize& op, const Tensor& input);

}  // namespace strata
