// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/pooling.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/planes.cuh"

namespace strata::cuda {

namespace {

// One axis of the window, as WindowAxis.
struct AxisOfWindow {
    std::int64_t input;
    std::int64_t output;
    std::int64_t kernel;
    std::int64_t stride;
    std::int64_t dilation;
    std::int64_t begin;
    std::int64_t end;

    __host__ __device__ std::int64_t position(std::int64_t o, std::int64_t tap) const {
        return o * stride - begin + tap * dilation;
    }
    __host__ __device__ bool inside(std::int64_t at) const { return at >= 0 && at < input; }
    __host__ __device__ std::int64_t counted(std::int64_t o, bool include_pad) const {
        std::int64_t count = 0;
        for (std::int64_t tap = 0; tap < kernel; ++tap) {
            const std::int64_t at = position(o, tap);
            const bool in_pad = at >= -begin && at < input + end;
            count += (include_pad ? in_pad : inside(at)) ? 1 : 0;
        }
        return count;
    }
    // The outputs whose windows reach an input: [first_over, last_over].
    __host__ __device__ std::int64_t first_over(std::int64_t at) const {
        const std::int64_t least = at + begin - (kernel - 1) * dilation;
        return least <= 0 ? 0 : (least + stride - 1) / stride;
    }
    __host__ __device__ std::int64_t last_over(std::int64_t at) const {
        const std::int64_t last = (at + begin) / stride;
        return last < output ? last : output - 1;
    }
    __host__ __device__ bool covers(std::int64_t o, std::int64_t at) const {
        return (at - position(o, 0)) % dilation == 0;
    }
};

struct DeviceWindow {
    AxisOfWindow axes[3];

    __host__ __device__ std::int64_t inputs() const {
        return axes[0].input * axes[1].input * axes[2].input;
    }
    __host__ __device__ std::int64_t outputs() const {
        return axes[0].output * axes[1].output * axes[2].output;
    }
    __host__ __device__ float divisor(const std::int64_t* o, bool include_pad) const {
        std::int64_t count = 1;
        for (int axis = 0; axis < 3; ++axis) {
            count *= axes[axis].counted(o[axis], include_pad);
        }
        return static_cast<float>(count > 1 ? count : 1);
    }
};

DeviceWindow window_on_device(const SpatialWindow& window) {
    DeviceWindow result;
    for (std::size_t i = 0; i < 3; ++i) {
        const WindowAxis& a = window.axes[i];
        result.axes[i] = {a.input, a.output, a.kernel, a.stride, a.dilation, a.begin, a.end};
    }
    return result;
}

Locator locator_of(const PoolingShape& shape, bool of_input) {
    const auto& axes = shape.window.axes;
    const auto extent = [&](std::size_t axis) {
        return of_input ? axes[axis].input : axes[axis].output;
    };
    return {Divisor(shape.channels), Divisor(extent(0) * extent(1) * extent(2)), Divisor(extent(1)),
            Divisor(extent(2)), shape.order == Order::channels_last};
}

struct ForwardBody {
    Elements x;
    Elements y;
    float* places;
    DeviceWindow window;
    Locator locate;
    PoolingKind kind;
    bool include_pad;

    __host__ __device__ void operator()(std::int64_t i) const {
        const Element o = locate(i);
        const std::int64_t plane = other_plane(o, window.outputs(), window.inputs(), locate.is_last,
                                               locate.channels.value());
        const auto& [depth, height, width] = window.axes;
        float greatest = -3.402823466e38F;
        float sum = 0;
        std::int64_t place = -1;
        for (std::int64_t kd = 0; kd < depth.kernel; ++kd) {
            const std::int64_t d = depth.position(o.at[0], kd);
            for (std::int64_t kh = 0; depth.inside(d) && kh < height.kernel; ++kh) {
                const std::int64_t h = height.position(o.at[1], kh);
                for (std::int64_t kw = 0; height.inside(h) && kw < width.kernel; ++kw) {
                    const std::int64_t w = width.position(o.at[2], kw);
                    if (!width.inside(w)) {
                        continue;
                    }
                    const std::int64_t at = (d * height.input + h) * width.input + w;
                    const float value = x.load(plane + at * o.stride);
                    sum += value;
                    if (place < 0 || value > greatest) {
                        greatest = value;
                        place = at;
                    }
                }
            }
        }
        if (kind == PoolingKind::max) {
            y.store(i, greatest);
            places[i] = static_cast<float>(place);
        } else {
            y.store(i, sum / window.divisor(o.at, include_pad));
        }
    }
};

struct BackwardBody {
    Elements dy;
    const float* places;
    Elements dx;
    DeviceWindow window;
    Locator locate;
    PoolingKind kind;
    bool include_pad;

    __host__ __device__ void operator()(std::int64_t i) const {
        const Element e = locate(i);
        const std::int64_t plane = other_plane(e, window.inputs(), window.outputs(), locate.is_last,
                                               locate.channels.value());
        const auto& [depth, height, width] = window.axes;
        const auto own =
            static_cast<float>((e.at[0] * height.input + e.at[1]) * width.input + e.at[2]);
        float sum = 0;
        std::int64_t o[3];
        for (o[0] = depth.first_over(e.at[0]); o[0] <= depth.last_over(e.at[0]); ++o[0]) {
            for (o[1] = height.first_over(e.at[1]); o[1] <= height.last_over(e.at[1]); ++o[1]) {
                for (o[2] = width.first_over(e.at[2]); o[2] <= width.last_over(e.at[2]); ++o[2]) {
                    const std::int64_t at =
                        plane + ((o[0] * height.output + o[1]) * width.output + o[2]) * e.stride;
                    sum += share(e.at, o, own, at);
                }
            }
        }
        dx.store(i, sum);
    }

private:
    __host__ __device__ float share(const std::int64_t* input, const std::int64_t* o, float own,
                                    std::int64_t at) const {
        if (kind == PoolingKind::max) {
            return places[at] == own ? dy.load(at) : 0;
        }
        for (int axis = 0; axis < 3; ++axis) {
            if (!window.axes[axis].covers(o[axis], input[axis])) {
                return 0;
            }
        }
        return dy.load(at) / window.divisor(o, include_pad);
    }
};

std::string name_of(const PoolingShape& shape, const char* pass) {
    return std::string(shape.kind == PoolingKind::max ? "strata:max_pooling_"
                                                      : "strata:average_pooling_") +
           pass;
}

}  // namespace

Kernel pooling_forward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t count = shape.images * shape.channels * shape.window.output_positions();
    return each(name_of(shape, "forward"), count, [=](std::span<void* const> at) {
        float* places = shape.kind == PoolingKind::max ? static_cast<float*>(at[2]) : nullptr;
        return ForwardBody{Elements(at[0], types[0]),      Elements(at[1], types[1]), places,
                           window_on_device(shape.window), locator_of(shape, false),  shape.kind,
                           shape.count_include_pad};
    });
}

Kernel pooling_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t count = shape.images * shape.channels * shape.window.input_positions();
    return each(name_of(shape, "backward"), count, [=](std::span<void* const> at) {
        return BackwardBody{Elements(at[0], types[0]), static_cast<const float*>(at[1]),
                            Elements(at[2], types[1]), window_on_device(shape.window),
                            locator_of(shape, true),   shape.kind,
                            shape.count_include_pad};
    });
}

}  // namespace strata::cuda
