// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/pooling.h"

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/lanes.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/planes.cuh"
#include "backend/cuda/kernels/pooling_window.cuh"
#include "backend/reference/views.h"

#include <type_traits>

namespace strata::cuda {

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
    // A window of 3 x 3 at once, or in two parts.
    static constexpr int ahead = Width == 1 ? 9 : 5;

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
    // Calls use(position, values) for each position of the window inside the image. Several are
    // loaded at once: with one load in flight, threads would wait for memory.
    template <class Use>
    __device__ void each_tap(const int* o, std::int64_t begin, std::int64_t stride,
                             const Use& use) const {
        WindowWalk taps = WindowWalk::inputs_of(pooled.window, o);
        for (int left = taps.count(); left > 0; left -= ahead) {
            int at[ahead] = {};
            RawLanes<Width> raw[ahead] = {};
            unrolled<ahead>([&](int step) {
                if (step < left) {
                    at[step] = taps.position();
                    raw[step] = load_raw<Width>(x, begin + at[step] * stride);
                    taps.go_on();
                }
            });
            unrolled<ahead>([&](int step) {
                if (step < left) {
                    use(at[step], values_of<Width>(x, raw[step]));
                }
            });
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

// A thread looks at all outputs whose windows reach its input.
template <int Width, PoolingKind kind>
struct BackwardBody {
    static constexpr int ahead = 4;

    Elements dy;
    Elements places;
    Elements dx;
    Pooled pooled;

    __device__ void operator()(std::int64_t i) const {
        const Element e = pooled.locate(i * Width);
        const int at[3] = {static_cast<int>(e.at[0]), static_cast<int>(e.at[1]),
                           static_cast<int>(e.at[2])};
        const std::int64_t begin = e.begin(pooled.window.outputs());
        Lanes<Width> sum;
        fill(sum, 0);
        WindowWalk outputs = WindowWalk::outputs_over(pooled.window, at);
        for (int left = outputs.count(); left > 0; left -= ahead) {
            Loaded loaded[ahead] = {};
            unrolled<ahead>([&](int step) {
                if (step < left) {
                    load(loaded[step], begin + outputs.position() * e.stride, at, outputs);
                    outputs.go_on();
                }
            });
            unrolled<ahead>([&](int step) {
                if (step < left) {
                    add(loaded[step], at, sum);
                }
            });
        }
        store(dx, i * Width, sum);
    }

private:
    static constexpr bool is_maximum = kind == PoolingKind::max;
    struct Loaded {
        RawLanes<Width> gradient;
        std::conditional_t<is_maximum, RawLanes<Width>, float> share;  // the maxima's places
    };

    __device__ void load(Loaded& loaded, std::int64_t from, const int* input,
                         const WindowWalk& output) const {
        loaded.gradient = load_raw<Width>(dy, from);
        if constexpr (is_maximum) {
            loaded.share = load_raw<Width>(places, from);
        } else {
            loaded.share = share_of(input, output);
        }
    }
    // Of a mean's gradient; 0 if its window steps over this input.
    __device__ float share_of(const int* input, const WindowWalk& output) const {
        bool covers = true;
        int o[3];
        unrolled<3>([&](int axis) {
            o[axis] = output.position(axis);
            covers = covers && pooled.window.axes[axis].covers(o[axis], input[axis]);
        });
        return covers ? 1 / pooled.window.divisor(o, pooled.include_pad) : 0;
    }
    __device__ void add(const Loaded& loaded, const int* input, Lanes<Width>& sum) const {
        const Lanes<Width> gradient = values_of<Width>(dy, loaded.gradient);
        if constexpr (is_maximum) {
            const auto& [depth, height, width] = pooled.window.axes;
            const auto own =
                static_cast<float>((input[0] * height.input + input[1]) * width.input + input[2]);
            const Lanes<Width> place = values_of<Width>(places, loaded.share);
            unrolled<Width>(
                [&](int lane) { sum.at[lane] += place.at[lane] == own ? gradient.at[lane] : 0; });
        } else {
            unrolled<Width>([&](int lane) { sum.at[lane] += gradient.at[lane] * loaded.share; });
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

template <int Width, PoolingKind kind>
Kernel backward_kernel(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t count = shape.images * shape.channels * shape.window.input_positions();
    return each(name_of(shape, "backward"), count / Width, [=](std::span<void* const> at) {
        return BackwardBody<Width, kind>{Elements(at[0], types[0]), places_of(shape, at[1]),
                                         Elements(at[2], types[1]), pooled_of(shape, true)};
    });
}

// Whether a thread for each pack would be too few of them for large windows: a global pooling.
bool needs_threads(const PoolingShape& shape) {
    constexpr std::int64_t large_window = 16;
    constexpr std::int64_t few_packs = std::int64_t{1} << 16;
    const auto& axes = shape.window.axes;
    const std::int64_t results = shape.images * shape.channels * shape.window.output_positions();
    return axes[0].kernel * axes[1].kernel * axes[2].kernel > large_window &&
           results / Pack::size < few_packs;
}

bool fills_packs(const PoolingShape& shape) {
    return shape.order == Order::channels_last && shape.channels % Pack::size == 0;
}

}  // namespace

Kernel pooling_forward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    return fills_packs(shape) && !needs_threads(shape) ? forward_kernel<Pack::size>(shape, types)
                                                       : forward_kernel<1>(shape, types);
}

Kernel pooling_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    constexpr PoolingKind max = PoolingKind::max;
    constexpr PoolingKind average = PoolingKind::average;
    if (shape.kind == max) {
        return shape.order == Order::channels_last && !fills_packs(shape)
                   ? backward_kernel<1, max>(shape, types)
                   : max_pooling_backward(shape, types);
    }
    return fills_packs(shape) ? backward_kernel<Pack::size, average>(shape, types)
                              : backward_kernel<1, average>(shape, types);
}

}  // namespace strata::cuda
