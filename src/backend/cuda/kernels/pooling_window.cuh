// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "backend/reference/views.h"

namespace strata::cuda {

// One axis of the window, like WindowAxis. Positions in a plane fit 32 bits, in which a GPU
// computes faster.
struct AxisOfWindow {
    int input;
    int output;
    int kernel;
    int stride;
    int dilation;
    int begin;
    int end;
    Divisor by_stride;

    __device__ int position(int o, int tap) const { return o * stride - begin + tap * dilation; }
    __device__ bool inside(int at) const { return at >= 0 && at < input; }

    // The taps of an output's window that count: those inside the input, and with `include_pad`
    // those in the padding.
    __device__ int counted(int o, bool include_pad) const {
        const int minimum = include_pad ? -begin : 0;
        const int limit = include_pad ? input + end : input;
        int count = 0;
        for (int tap = 0; tap < kernel; ++tap) {
            const int at = position(o, tap);
            count += at >= minimum && at < limit ? 1 : 0;
        }
        return count;
    }

    // The outputs whose windows reach an input: [first_over, last_over].
    __device__ int first_over(int at) const {
        const int minimum = at + begin - (kernel - 1) * dilation;
        return minimum <= 0 ? 0 : static_cast<int>(by_stride.quotient(minimum + stride - 1));
    }
    __device__ int last_over(int at) const {
        const int last = static_cast<int>(by_stride.quotient(at + begin));
        return last < output ? last : output - 1;
    }
    __device__ bool covers(int o, int at) const {
        return dilation == 1 || (at - position(o, 0)) % dilation == 0;
    }
};

struct DeviceWindow {
    AxisOfWindow axes[3];

    __device__ int inputs() const { return axes[0].input * axes[1].input * axes[2].input; }
    __device__ int outputs() const { return axes[0].output * axes[1].output * axes[2].output; }
    // The divisor of the sum over an output's window.
    __device__ float divisor(const int* o, bool include_pad) const {
        int count = 1;
        for (int axis = 0; axis < 3; ++axis) {
            count *= axes[axis].counted(o[axis], include_pad);
        }
        return static_cast<float>(count > 1 ? count : 1);
    }
};

// Requires: a plane has fewer than 2^31 positions.
inline DeviceWindow window_on_device(const SpatialWindow& window) {
    DeviceWindow result = {};
    for (std::size_t i = 0; i < 3; ++i) {
        const WindowAxis& a = window.axes[i];
        const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
        result.axes[i] = {narrow(a.input),  narrow(a.output),   narrow(a.kernel),
                          narrow(a.stride), narrow(a.dilation), narrow(a.begin),
                          narrow(a.end),    Divisor(a.stride)};
    }
    return result;
}

}  // namespace strata::cuda
