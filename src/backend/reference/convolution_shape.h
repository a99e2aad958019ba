// SPDX-License-Identifier: MIT
#pragma once

#include "backend/reference/operands.h"
#include "backend/reference/window.h"

#include <vector>

namespace strata {

// A convolution is, for every tap of the kernel, a matrix product over the channels:
//   y[output, k] += x[input(output, tap), c] * weight[tap, c, k]
// With channels innermost, the outputs of one row that see a tap are the rows of one such product.

// A layer's extents.
struct ConvolutionShape {
    SpatialWindow window;
    std::int64_t images = 0;
    std::int64_t groups = 0;
    std::int64_t in = 0;   // input channels of a group
    std::int64_t out = 0;  // output channels of a group

    std::int64_t in_channels() const { return groups * in; }
    std::int64_t out_channels() const { return groups * out; }

    // Rows of outputs: every depth and height.
    std::int64_t rows() const { return window.axes[0].output * window.axes[1].output; }

    // Multiply-adds, those in the padding included.
    double operations() const {
        return static_cast<double>(images * out_channels() * window.output_positions()) *
               static_cast<double>(in * window.taps());
    }
};

ConvolutionShape shape_of(const Convolution& op, const ReferenceOperands& operands);

// The outputs [first, last) of one row for which a tap lies inside the input, and the input
// position that the first of them reads.
struct TapRun {
    std::int64_t tap = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t input = 0;

    std::int64_t length() const { return last - first; }
};

// Calls use(run) for every tap that some output of the row sees inside the input.
template <class Use>
void for_each_tap(const SpatialWindow& window, std::int64_t row, Use&& use) {
    const auto& [depth, height, width] = window.axes;
    for (std::int64_t tap = 0; tap < window.taps(); ++tap) {
        const auto kw = tap % width.kernel, kh = tap / width.kernel % height.kernel;
        const auto kd = tap / width.kernel / height.kernel;
        const auto ih = height.position(row % height.output, kh);
        const auto id = depth.position(row / height.output, kd);
        const auto [first, last] = width.outputs_inside(kw);
        if (depth.inside(id) && height.inside(ih) && first < last) {
            const std::int64_t line = (id * height.input + ih) * width.input;
            use(TapRun{tap, first, last, line + width.position(first, kw)});
        }
    }
}

// [images][channels][positions] as [images][positions][channels].
std::vector<float> channels_last(std::span<const float> values, std::int64_t images,
                                 std::int64_t channels);

// weight[groups * out][in][taps] as [groups][taps][out][in].
std::vector<float> weights_by_tap(const ConvolutionShape& shape, std::span<const float> weight);

}  // namespace strata
