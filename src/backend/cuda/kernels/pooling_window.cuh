// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/reference/views.h"

namespace strata::cuda {

// [first, end)
struct TapRange {
    int first;
    int end;

    __device__ int count() const { return end > first ? end - first : 0; }
};

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
    Divisor by_dilation;

    __device__ int position(int o, int tap) const { return o * stride - begin + tap * dilation; }

    // The taps of an output's window at positions from `minimum` to below `limit`.
    __device__ TapRange taps(int o, int minimum, int limit) const {
        const int start = position(o, 0);
        const int first = start >= minimum ? 0 : steps(minimum - start);
        const int beyond = start >= limit ? 0 : steps(limit - start);
        return {first, beyond < kernel ? beyond : kernel};
    }
    __device__ TapRange inside(int o) const { return taps(o, 0, input); }

    // The taps of an output's window that count: those inside the input, and with `include_pad`
    // those in the padding.
    __device__ int counted(int o, bool include_pad) const {
        return (include_pad ? taps(o, -begin, input + end) : inside(o)).count();
    }

    // The outputs whose windows reach an input: [first_over, last_over].
    __device__ int first_over(int at) const {
        const int minimum = at + begin - (kernel - 1) * dilation;
        return minimum <= 0 ? 0 : by_stride.small_quotient(minimum + stride - 1);
    }
    __device__ int last_over(int at) const {
        const int last = by_stride.small_quotient(at + begin);
        return last < output ? last : output - 1;
    }
    __device__ bool covers(int o, int at) const {
        return dilation == 1 || (at - position(o, 0)) % dilation == 0;
    }

private:
    // How many steps of the dilation it takes to go this far.
    __device__ int steps(int distance) const {
        return dilation == 1 ? distance : by_dilation.small_quotient(distance + dilation - 1);
    }
};

struct DeviceWindow {
    AxisOfWindow axes[3];

    __device__ int inputs() const { return axes[0].input * axes[1].input * axes[2].input; }
    __device__ int outputs() const { return axes[0].output * axes[1].output * axes[2].output; }
    // The divisor of the sum over an output's window.
    __device__ float divisor(const int* o, bool include_pad) const {
        int count = 1;
        unrolled<3>([&](int axis) { count *= axes[axis].counted(o[axis], include_pad); });
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
                          narrow(a.end),    Divisor(a.stride),  Divisor(a.dilation)};
    }
    return result;
}

// Goes through a box of some plane, innermost axis first: the positions of an output's window that
// are inside the image, or the outputs whose windows reach an input.
class WindowWalk {
public:
    __device__ static WindowWalk inputs_of(const DeviceWindow& window, const int* o) {
        WindowWalk walk;
        unrolled<3>([&](int i) {
            const AxisOfWindow& axis = window.axes[i];
            const TapRange taps = axis.inside(o[i]);
            walk.axes_[i] = {axis.position(o[i], taps.first), taps.count(), axis.dilation,
                             axis.input};
        });
        walk.find();
        return walk;
    }
    __device__ static WindowWalk outputs_over(const DeviceWindow& window, const int* input) {
        WindowWalk walk;
        unrolled<3>([&](int i) {
            const AxisOfWindow& axis = window.axes[i];
            const TapRange outputs = {axis.first_over(input[i]), axis.last_over(input[i]) + 1};
            walk.axes_[i] = {outputs.first, outputs.count(), 1, axis.output};
        });
        walk.find();
        return walk;
    }

    __device__ int count() const { return axes_[0].count * axes_[1].count * axes_[2].count; }
    // Within the plane, and along one axis.
    __device__ int position() const { return position_; }
    __device__ int position(int axis) const {
        return axes_[axis].first + axes_[axis].number * axes_[axis].step;
    }
    __device__ void go_on() {
        position_ += axes_[2].step;
        if (++axes_[2].number < axes_[2].count) {
            return;
        }
        axes_[2].number = 0;
        if (++axes_[1].number == axes_[1].count) {
            axes_[1].number = 0;
            ++axes_[0].number;
        }
        find();
    }

private:
    struct Axis {
        int first;
        int count;
        int step;
        int extent;  // of the plane
        int number = 0;
    };

    __device__ void find() {
        position_ = 0;
        unrolled<3>([&](int i) { position_ = position_ * axes_[i].extent + position(i); });
    }

    Axis axes_[3] = {};
    int position_ = 0;
};

}  // namespace strata::cuda
