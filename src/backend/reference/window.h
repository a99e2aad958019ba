// SPDX-License-Identifier: MIT
#pragma once

#include "op/window.h"

#include <algorithm>
#include <array>

namespace strata {

// One spatial axis of a sliding window: for each tap of the kernel, output o reads the input at o *
// stride - begin + tap * dilation; positions outside [0, input) are padding.
struct WindowAxis {
    std::int64_t input = 1;
    std::int64_t output = 1;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t begin = 0;  // padding before the input
    std::int64_t end = 0;    // padding after it

    std::int64_t position(std::int64_t o, std::int64_t tap) const {
        return o * stride - begin + tap * dilation;
    }
    bool inside(std::int64_t at) const { return at >= 0 && at < input; }
    bool inside_padded(std::int64_t at) const { return at >= -begin && at < input + end; }

    // The outputs [first, last) for which a tap is inside the input.
    std::array<std::int64_t, 2> outputs_inside(std::int64_t tap) const;
};

// A window over depth, height and width. With one or two spatial axes the leading ones have extent
// 1, so that one loop nest serves all.
struct SpatialWindow {
    std::array<WindowAxis, 3> axes;

    std::int64_t input_positions() const { return axes[0].input * axes[1].input * axes[2].input; }
    std::int64_t output_positions() const {
        return axes[0].output * axes[1].output * axes[2].output;
    }
    std::int64_t taps() const { return axes[0].kernel * axes[1].kernel * axes[2].kernel; }
};

// Requires: x and y have batch, channels and the same number of spatial axes, one to three.
SpatialWindow spatial_window(const Window& window, const Dims& x, const Dims& y);

// Whether the reference has a loop nest for a layer's number of spatial axes.
bool fits_spatial_window(const Dims& x);

}  // namespace strata
