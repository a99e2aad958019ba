// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"
#include "op/window.h"

#include <algorithm>
#include <array>
#include <vector>

namespace strata {

// A tensor seen as outer x extent x inner elements around one of its axes.
struct AxisView {
    std::size_t outer = 1;
    std::size_t extent = 1;
    std::size_t inner = 1;

    std::size_t at(std::size_t before, std::size_t along, std::size_t after) const {
        return (before * extent + along) * inner + after;
    }
};

// A negative axis counts from the end. Requires: the tensor has the axis.
AxisView around_axis(const Dims& dims, std::int64_t axis);

// The positions of an operand's elements under NumPy's broadcasting to a result's shape: shapes are
// aligned at the last axis, and an axis of extent 1 is repeated.
class Broadcast {
public:
    Broadcast(const Dims& operand, const Dims& result);

    // The index of the operand's element that element `index` of the result reads, both row-major.
    std::size_t operator()(std::size_t index) const;

private:
    struct Axis {
        std::size_t extent = 1;  // of the result
        std::size_t step = 0;    // operand elements to its next index; 0 if it is broadcast
    };
    std::vector<Axis> axes_;  // innermost first
    bool identical_ = false;
};

// A strided view of a dense row-major tensor: the position of each element of a result, given by a
// first element and, for each axis of the result, a step that may be zero or negative.
class Strided {
public:
    // Requires: one step for each axis.
    Strided(const Dims& result, std::size_t first, const Dims& steps);

    std::size_t operator()(std::size_t index) const;

private:
    struct Axis {
        std::size_t extent = 1;
        std::int64_t step = 0;
    };
    std::vector<Axis> axes_;  // innermost first
    std::size_t first_ = 0;
};

// Elements between neighbours along each axis of a dense row-major tensor.
Dims row_major_steps(const Dims& dims);

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
