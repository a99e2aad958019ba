// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/pooling.h"

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/planes.cuh"
#include "backend/reference/views.h"

namespace strata::cuda {

// The unit that one thread moves: one element, or a pack of adjacent elements.
template <int Width>
struct Lanes {
    static_assert(Width == 1 || Width == Pack::size);
    float at[Width];
};

template <int Width>
__device__ void fill(Lanes<Width>& lanes, float value) {
    for (int lane = 0; lane < Width; ++lane) {
        lanes.at[lane] = value;
    }
}

// From element `i` on, which must be a multiple of the width.
template <int Width>
__device__ Lanes<Width> load(const Elements& elements, std::int64_t i) {
    Lanes<Width> lanes;
    if constexpr (Width == 1) {
        lanes.at[0] = elements.load(i);
    } else {
        const Pack pack = elements.load_pack(i);
        for (int lane = 0; lane < Width; ++lane) {
            lanes.at[lane] = pack.at[lane];
        }
    }
    return lanes;
}

template <int Width>
__device__ void store(const Elements& elements, std::int64_t i, const Lanes<Width>& lanes) {
    if constexpr (Width == 1) {
        elements.store(i, lanes.at[0]);
    } else {
        Pack pack;
        for (int lane = 0; lane < Width; ++lane) {
            pack.at[lane] = lanes.at[lane];
        }
        elements.store_pack(i, pack);
    }
}

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

namespace {

constexpr float lowest_float = -3.402823466e38F;

Locator locator_of(const PoolingShape& shape, bool of_input) {
    const auto& axes = shape.window.axes;
    const auto extent = [&](std::size_t axis) {
        return of_input ? axes[axis].input : axes[axis].output;
    };
    return {Divisor(shape.channels), Divisor(extent(0) * extent(1) * extent(2)), Divisor(extent(1)),
            Divisor(extent(2)), shape.order == Order::channels_last};
}

// The images' properties that both passes need.
struct Pooled {
    DeviceWindow window;
    Locator locate;
    PoolingKind kind;
    bool include_pad;
};

// A thread computes one position of as many channels as are adjacent: a pack, or one.
template <int Width>
struct ForwardBody {
    Elements x;
    Elements y;
    Elements places;
    Pooled pooled;

    __device__ void operator()(std::int64_t i) const {
        const Element e = pooled.locate(i * Width);
        const int o[3] = {static_cast<int>(e.at[0]), static_cast<int>(e.at[1]),
                          static_cast<int>(e.at[2])};
        const std::int64_t begin = e.begin(pooled.window.inputs());
        if (pooled.kind == PoolingKind::max) {
            store_greatest(i * Width, o, begin, e.stride);
        } else {
            store_mean(i * Width, o, begin, e.stride);
        }
    }

private:
    // Calls use(position, values) for each position of the window inside the image.
    template <class Use>
    __device__ void each_tap(const int* o, std::int64_t begin, std::int64_t stride,
                             const Use& use) const {
        const auto& [depth, height, width] = pooled.window.axes;
        for (int kd = 0; kd < depth.kernel; ++kd) {
            const int d = depth.position(o[0], kd);
            for (int kh = 0; depth.inside(d) && kh < height.kernel; ++kh) {
                const int h = height.position(o[1], kh);
                for (int kw = 0; height.inside(h) && kw < width.kernel; ++kw) {
                    const int w = width.position(o[2], kw);
                    if (width.inside(w)) {
                        const int at = (d * height.input + h) * width.input + w;
                        use(at, load<Width>(x, begin + at * stride));
                    }
                }
            }
        }
    }

    __device__ void store_greatest(std::int64_t i, const int* o, std::int64_t begin,
                                   std::int64_t stride) const {
        Lanes<Width> greatest;
        Lanes<Width> place;
        fill(greatest, lowest_float);
        fill(place, -1);
        each_tap(o, begin, stride, [&](int at, const Lanes<Width>& values) {
            for (int lane = 0; lane < Width; ++lane) {
                if (place.at[lane] < 0 || values.at[lane] > greatest.at[lane]) {
                    greatest.at[lane] = values.at[lane];
                    place.at[lane] = static_cast<float>(at);
                }
            }
        });
        store(y, i, greatest);
        store(places, i, place);
    }

    __device__ void store_mean(std::int64_t i, const int* o, std::int64_t begin,
                               std::int64_t stride) const {
        Lanes<Width> sum;
        fill(sum, 0);
        each_tap(o, begin, stride, [&](int, const Lanes<Width>& values) {
            for (int lane = 0; lane < Width; ++lane) {
                sum.at[lane] += values.at[lane];
            }
        });
        const float divisor = pooled.window.divisor(o, pooled.include_pad);
        for (int lane = 0; lane < Width; ++lane) {
            sum.at[lane] /= divisor;
        }
        store(y, i, sum);
    }
};

template <int Width>
struct BackwardBody {
    Elements dy;
    Elements places;
    Elements dx;
    Pooled pooled;

    __device__ void operator()(std::int64_t i) const {
        const Element e = pooled.locate(i * Width);
        const int at[3] = {static_cast<int>(e.at[0]), static_cast<int>(e.at[1]),
                           static_cast<int>(e.at[2])};
        const std::int64_t begin = e.begin(pooled.window.outputs());
        const auto& [depth, height, width] = pooled.window.axes;
        Lanes<Width> sum;
        fill(sum, 0);
        int o[3];
        for (o[0] = depth.first_over(at[0]); o[0] <= depth.last_over(at[0]); ++o[0]) {
            for (o[1] = height.first_over(at[1]); o[1] <= height.last_over(at[1]); ++o[1]) {
                for (o[2] = width.first_over(at[2]); o[2] <= width.last_over(at[2]); ++o[2]) {
                    const int from = (o[0] * height.output + o[1]) * width.output + o[2];
                    add_share(at, o, begin + from * e.stride, sum);
                }
            }
        }
        store(dx, i * Width, sum);
    }

private:
    __device__ void add_share(const int* input, const int* o, std::int64_t from,
                              Lanes<Width>& sum) const {
        if (pooled.kind == PoolingKind::max) {
            add_greatest(input, from, sum);
            return;
        }
        for (int axis = 0; axis < 3; ++axis) {
            if (!pooled.window.axes[axis].covers(o[axis], input[axis])) {
                return;
            }
        }
        const float divisor = pooled.window.divisor(o, pooled.include_pad);
        const Lanes<Width> gradient = load<Width>(dy, from);
        for (int lane = 0; lane < Width; ++lane) {
            sum.at[lane] += gradient.at[lane] / divisor;
        }
    }

    __device__ void add_greatest(const int* input, std::int64_t from, Lanes<Width>& sum) const {
        const auto& [depth, height, width] = pooled.window.axes;
        const auto own =
            static_cast<float>((input[0] * height.input + input[1]) * width.input + input[2]);
        const Lanes<Width> place = load<Width>(places, from);
        const Lanes<Width> gradient = load<Width>(dy, from);
        for (int lane = 0; lane < Width; ++lane) {
            sum.at[lane] += place.at[lane] == own ? gradient.at[lane] : 0;
        }
    }
};

std::string name_of(const PoolingShape& shape, const char* pass) {
    return std::string(shape.kind == PoolingKind::max ? "strata:max_pooling_"
                                                      : "strata:average_pooling_") +
           pass;
}

Pooled pooled_of(const PoolingShape& shape, bool of_input) {
    return {window_on_device(shape.window), locator_of(shape, of_input), shape.kind,
            shape.count_include_pad};
}

// A mean has no places; their address is that of another tensor.
Elements places_of(const PoolingShape& shape, void* address) {
    return shape.kind == PoolingKind::max ? Elements(address, ElementType::f32) : Elements();
}

template <int Width>
Kernel forward_kernel(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t count = shape.images * shape.channels * shape.window.output_positions();
    return each(name_of(shape, "forward"), count / Width, [=](std::span<void* const> at) {
        return ForwardBody<Width>{
            Elements(at[0], types[0]), Elements(at[1], types[1]),
            places_of(shape, shape.kind == PoolingKind::max ? at[2] : nullptr),
            pooled_of(shape, false)};
    });
}

template <int Width>
Kernel backward_kernel(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t count = shape.images * shape.channels * shape.window.input_positions();
    return each(name_of(shape, "backward"), count / Width, [=](std::span<void* const> at) {
        return BackwardBody<Width>{Elements(at[0], types[0]), places_of(shape, at[1]),
                                   Elements(at[2], types[1]), pooled_of(shape, true)};
    });
}

bool fills_packs(const PoolingShape& shape) {
    return shape.order == Order::channels_last && shape.channels % Pack::size == 0;
}

}  // namespace

Kernel pooling_forward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    return fills_packs(shape) ? forward_kernel<Pack::size>(shape, types)
                              : forward_kernel<1>(shape, types);
}

Kernel pooling_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    return fills_packs(shape) ? backward_kernel<Pack::size>(shape, types)
                              : backward_kernel<1>(shape, types);
}

}  // namespace strata::cuda
