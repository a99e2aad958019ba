// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/pooling.h"

#include "backend/cuda/kernels/divisor.h"
#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/planes.cuh"
#include "backend/reference/views.h"

#include <type_traits>

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
using RawLanes = std::conditional_t<Width == 1, RawElement, RawPack>;

template <int Width>
__device__ RawLanes<Width> load_raw(const Elements& elements, std::int64_t i) {
    if constexpr (Width == 1) {
        return elements.load_raw(i);
    } else {
        return elements.load_raw_pack(i);
    }
}

template <int Width>
__device__ Lanes<Width> values_of(const Elements& elements, const RawLanes<Width>& raw) {
    if constexpr (Width == 1) {
        return {{elements.value_of(raw)}};
    } else {
        Lanes<Width> lanes;
        const Pack pack = elements.values_of(raw);
        unrolled<Width>([&](int lane) { lanes.at[lane] = pack.at[lane]; });
        return lanes;
    }
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
    Divisor by_dilation;

    __device__ int position(int o, int tap) const { return o * stride - begin + tap * dilation; }

    // The taps [first, end) of an output's window at positions from `minimum` to below `limit`.
    struct Taps {
        int first;
        int end;
    };
    __device__ Taps taps(int o, int minimum, int limit) const {
        const int start = position(o, 0);
        const int first = start >= minimum ? 0 : steps(minimum - start);
        const int beyond = start >= limit ? 0 : steps(limit - start);
        return {first, beyond < kernel ? beyond : kernel};
    }
    __device__ Taps inside(int o) const { return taps(o, 0, input); }

    // The taps of an output's window that count: those inside the input, and with `include_pad`
    // those in the padding.
    __device__ int counted(int o, bool include_pad) const {
        const Taps counted = include_pad ? taps(o, -begin, input + end) : inside(o);
        return counted.end > counted.first ? counted.end - counted.first : 0;
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

private:
    // How many steps of the dilation it takes to go this far.
    __device__ int steps(int distance) const {
        return static_cast<int>(by_dilation.quotient(distance + dilation - 1));
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
    static constexpr int ahead = 4;

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
        const auto& [depth, height, width] = pooled.window.axes;
        const auto planes = depth.inside(o[0]);
        const auto rows = height.inside(o[1]);
        const auto taps = width.inside(o[2]);
        for (int kd = planes.first; kd < planes.end; ++kd) {
            for (int kh = rows.first; kh < rows.end; ++kh) {
                const int row = depth.position(o[0], kd) * height.input + height.position(o[1], kh);
                const int at = row * width.input + width.position(o[2], 0);
                for (int kw = taps.first; kw < taps.end; kw += ahead) {
                    RawLanes<Width> raw[ahead] = {};
                    unrolled<ahead>([&](int step) {
                        if (kw + step < taps.end) {
                            const int tap = at + (kw + step) * width.dilation;
                            raw[step] = load_raw<Width>(x, begin + tap * stride);
                        }
                    });
                    unrolled<ahead>([&](int step) {
                        if (kw + step < taps.end) {
                            use(at + (kw + step) * width.dilation, values_of<Width>(x, raw[step]));
                        }
                    });
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

// Of a mean.
template <int Width>
struct BackwardBody {
    Elements dy;
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
        for (int axis = 0; axis < 3; ++axis) {
            if (!pooled.window.axes[axis].covers(o[axis], input[axis])) {
                return;
            }
        }
        const float share = 1 / pooled.window.divisor(o, pooled.include_pad);
        const Lanes<Width> gradient = values_of<Width>(dy, load_raw<Width>(dy, from));
        for (int lane = 0; lane < Width; ++lane) {
            sum.at[lane] += gradient.at[lane] * share;
        }
    }
};

// Of a maximum, if channels are innermost in packs: a thread has a square of positions, because
// adjacent positions have most of their windows in common, and reads each of those once.
struct MaximumOfSquare {
    static constexpr int side = 2;
    static constexpr int ahead = 2;
    static constexpr int width = Pack::size;

    Elements dy;
    Elements places;
    Elements dx;
    DeviceWindow window;
    Locator locate;  // of squares

    __device__ void operator()(std::int64_t i) const {
        const Element e = locate(i * width);
        const int at[3] = {static_cast<int>(e.at[0]), side * static_cast<int>(e.at[1]),
                           side * static_cast<int>(e.at[2])};
        Lanes<width> sums[side * side];
        unrolled<side * side>([&](int square) { fill(sums[square], 0); });
        add_windows(at, e.begin(window.outputs()), e.stride, sums);
        const std::int64_t begin = e.begin(window.inputs());
        unrolled<side * side>([&](int square) {
            const int row = at[1] + square / side;
            const int column = at[2] + square % side;
            if (row < window.axes[1].input && column < window.axes[2].input) {
                store(dx, begin + position(at[0], row, column) * e.stride, sums[square]);
            }
        });
    }

private:
    __device__ int position(int plane, int row, int column) const {
        return (plane * window.axes[1].input + row) * window.axes[2].input + column;
    }

    __device__ void add_windows(const int* at, std::int64_t begin, std::int64_t stride,
                                Lanes<width>* sums) const {
        const auto& [depth, height, across] = window.axes;
        const int last_row = height.last_over(at[1] + side - 1);
        const int first_column = across.first_over(at[2]);
        const int end_column = across.last_over(at[2] + side - 1) + 1;
        for (int plane = depth.first_over(at[0]); plane <= depth.last_over(at[0]); ++plane) {
            for (int row = height.first_over(at[1]); row <= last_row; ++row) {
                const std::int64_t from =
                    begin + std::int64_t{plane * height.output + row} * across.output * stride;
                add_row(at, from, stride, first_column, end_column, sums);
            }
        }
    }

    __device__ void add_row(const int* at, std::int64_t from, std::int64_t stride, int column,
                            int end, Lanes<width>* sums) const {
        for (; column < end; column += ahead) {
            RawLanes<width> raw_places[ahead] = {};
            RawLanes<width> raw_gradients[ahead] = {};
            unrolled<ahead>([&](int step) {
                if (column + step < end) {
                    raw_places[step] = load_raw<width>(places, from + (column + step) * stride);
                    raw_gradients[step] = load_raw<width>(dy, from + (column + step) * stride);
                }
            });
            unrolled<ahead>([&](int step) {
                if (column + step < end) {
                    add(at, values_of<width>(places, raw_places[step]),
                        values_of<width>(dy, raw_gradients[step]), sums);
                }
            });
        }
    }

    __device__ void add(const int* at, const Lanes<width>& place, const Lanes<width>& gradient,
                        Lanes<width>* sums) const {
        unrolled<side * side>([&](int square) {
            const auto own =
                static_cast<float>(position(at[0], at[1] + square / side, at[2] + square % side));
            unrolled<width>([&](int lane) {
                sums[square].at[lane] += place.at[lane] == own ? gradient.at[lane] : 0;
            });
        });
    }
};

// How blocks divide the gradient of x: a tile has some positions, which may belong to several
// planes, and one channel, or up to 32 adjacent ones if channels are innermost.
struct MaximumTiles {
    static constexpr int elements = 6144;

    std::int64_t inputs;    // positions of all planes
    std::int64_t channels;  // adjacent in memory
    int lanes;              // channels of a tile: 1 or 32
    int shift;              // log2 of it
    Divisor tiles_across;   // side by side
    Divisor input_plane;    // positions of a plane
    Divisor output_plane;
    int leading;         // the first axis that is longer than 1
    Divisor input_step;  // positions from one index of the leading axis to the next
    std::int64_t output_step;
    Divisor height;  // outputs
    Divisor width;
    // Windows whose outputs differ by less than this along some axis may overlap.
    Divisor apart[3];

    __host__ __device__ std::int64_t positions() const { return elements / lanes; }
};

// The outputs that may have their maxima in a tile, among those of all planes.
struct OutputRange {
    std::int64_t begin;
    std::int64_t end;
};

// Each output adds its gradient to a tile in shared memory, at the place of its maximum. Those with
// windows that overlap take turns, so the sums need no atomic additions and always have one order.
struct MaximumBackward {
    Elements dy;
    const float* places;
    Elements dx;
    DeviceWindow window;
    MaximumTiles tiles;

    __device__ void operator()(std::int64_t block) const {
        __shared__ float sums[MaximumTiles::elements];
        const std::int64_t row = tiles.tiles_across.quotient(block);
        const std::int64_t channel = (block - row * tiles.tiles_across.value()) * tiles.lanes;
        const int lane = static_cast<int>(threadIdx.x) & (tiles.lanes - 1);
        const std::int64_t begin = row * tiles.positions();
        const std::int64_t limit = begin + tiles.positions();
        const std::int64_t end = limit < tiles.inputs ? limit : tiles.inputs;
        for (int i = static_cast<int>(threadIdx.x); i < MaximumTiles::elements;
             i += threads_of_each) {
            sums[i] = 0;
        }
        __syncthreads();
        const OutputRange outputs = outputs_over(begin, end);
        const int turns = static_cast<int>(tiles.apart[0].value() * tiles.apart[1].value() *
                                           tiles.apart[2].value());
        for (std::int64_t first = outputs.begin; first < outputs.end;
             first += (ahead * threads_of_each) >> tiles.shift) {
            Share shares[ahead];
            unrolled<ahead>([&](int step) {
                const std::int64_t output = first + output_of(step);
                if (output < outputs.end && channel + lane < tiles.channels) {
                    const std::int64_t i = output * tiles.channels + channel + lane;
                    shares[step].place = places[i];
                    shares[step].gradient = dy.load_raw(i);
                }
            });
            unrolled<ahead>(
                [&](int step) { find(shares[step], first + output_of(step), lane, begin, end); });
            for (int turn = 0; turn < turns; ++turn) {
                unrolled<ahead>([&](int step) {
                    if (shares[step].turn == turn) {
                        sums[shares[step].at] += dy.value_of(shares[step].gradient);
                    }
                });
                __syncthreads();
            }
        }
        for (int i = static_cast<int>(threadIdx.x); i < (end - begin) << tiles.shift;
             i += threads_of_each) {
            if (channel + lane < tiles.channels) {
                dx.store((begin + (i >> tiles.shift)) * tiles.channels + channel + lane, sums[i]);
            }
        }
    }

private:
    static constexpr int ahead = 8;

    // An output's gradient and maximum, which has a place in the tile and a turn, or is elsewhere.
    struct Share {
        float place = -1;
        RawElement gradient = 0;
        int at = 0;
        int turn = -1;
    };

    // A thread's step-th output of those that the block has at once.
    __device__ int output_of(int step) const {
        return (static_cast<int>(threadIdx.x) + step * static_cast<int>(threads_of_each)) >>
               tiles.shift;
    }
    __device__ OutputRange outputs_over(std::int64_t begin, std::int64_t end) const {
        const AxisOfWindow& axis = window.axes[tiles.leading];
        const std::int64_t first = tiles.input_plane.quotient(begin);
        const std::int64_t last = tiles.input_plane.quotient(end - 1);
        const auto from = tiles.input_step.quotient(begin - first * tiles.input_plane.value());
        const auto to = tiles.input_step.quotient(end - 1 - last * tiles.input_plane.value());
        return {first * tiles.output_plane.value() +
                    axis.first_over(static_cast<int>(from)) * tiles.output_step,
                last * tiles.output_plane.value() +
                    (axis.last_over(static_cast<int>(to)) + 1) * tiles.output_step};
    }
    __device__ void find(Share& share, std::int64_t output, int lane, std::int64_t begin,
                         std::int64_t end) const {
        const std::int64_t plane = tiles.output_plane.quotient(output);
        const std::int64_t at =
            plane * tiles.input_plane.value() + static_cast<std::int64_t>(share.place);
        if (share.place >= 0 && at >= begin && at < end) {
            share.at = static_cast<int>(at - begin) * tiles.lanes + lane;
            share.turn = turn_of(output - plane * tiles.output_plane.value());
        }
    }
    __device__ int turn_of(std::int64_t output) const {
        const std::int64_t row = tiles.width.quotient(output);
        const std::int64_t depth = tiles.height.quotient(row);
        const std::int64_t at[3] = {depth, row - depth * tiles.height.value(),
                                    output - row * tiles.width.value()};
        std::int64_t turn = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const Divisor& apart = tiles.apart[axis];
            turn = turn * apart.value() + at[axis] - apart.quotient(at[axis]) * apart.value();
        }
        return static_cast<int>(turn);
    }
};

MaximumTiles maximum_tiles(const PoolingShape& shape) {
    const auto& axes = shape.window.axes;
    const bool is_last = shape.order == Order::channels_last;
    const std::int64_t planes = is_last ? shape.images : shape.images * shape.channels;
    MaximumTiles tiles = {};
    tiles.inputs = planes * shape.window.input_positions();
    tiles.channels = is_last ? shape.channels : 1;
    tiles.lanes = is_last ? 32 : 1;
    tiles.shift = is_last ? 5 : 0;
    tiles.tiles_across = Divisor(ceiling(tiles.channels, tiles.lanes));
    tiles.input_plane = Divisor(shape.window.input_positions());
    tiles.output_plane = Divisor(shape.window.output_positions());
    const auto is_single = [](const WindowAxis& axis) {
        return axis.input == 1 && axis.output == 1;
    };
    while (tiles.leading < 2 && is_single(axes[static_cast<std::size_t>(tiles.leading)])) {
        ++tiles.leading;
    }
    std::int64_t input_step = 1;
    tiles.output_step = 1;
    for (std::size_t axis = static_cast<std::size_t>(tiles.leading) + 1; axis < 3; ++axis) {
        input_step *= axes[axis].input;
        tiles.output_step *= axes[axis].output;
    }
    tiles.input_step = Divisor(input_step);
    tiles.height = Divisor(axes[1].output);
    tiles.width = Divisor(axes[2].output);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t extent = (axes[axis].kernel - 1) * axes[axis].dilation + 1;
        tiles.apart[axis] =
            Divisor(std::min(axes[axis].output, ceiling(extent, axes[axis].stride)));
    }
    return tiles;
}

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
Kernel mean_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const std::int64_t count = shape.images * shape.channels * shape.window.input_positions();
    return each(name_of(shape, "backward"), count / Width, [=](std::span<void* const> at) {
        return BackwardBody<Width>{Elements(at[0], types[0]), Elements(at[2], types[1]),
                                   pooled_of(shape, true)};
    });
}

Kernel maximum_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const MaximumTiles divided = maximum_tiles(shape);
    const std::int64_t count =
        ceiling(divided.inputs, divided.positions()) * divided.tiles_across.value();
    return tiles(name_of(shape, "backward"), count, [=](std::span<void* const> at) {
        return MaximumBackward{Elements(at[0], types[0]), floats(at[1]), Elements(at[2], types[1]),
                               window_on_device(shape.window), divided};
    });
}

Kernel maximum_of_squares(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const auto& axes = shape.window.axes;
    const std::int64_t rows = ceiling(axes[1].input, MaximumOfSquare::side);
    const std::int64_t columns = ceiling(axes[2].input, MaximumOfSquare::side);
    const std::int64_t squares = axes[0].input * rows * columns;
    const Locator locate = {Divisor(shape.channels), Divisor(squares), Divisor(rows),
                            Divisor(columns), true};
    const std::int64_t count = shape.images * shape.channels * squares / MaximumOfSquare::width;
    return each(name_of(shape, "backward"), count, [=](std::span<void* const> at) {
        return MaximumOfSquare{Elements(at[0], types[0]), places_of(shape, at[1]),
                               Elements(at[2], types[1]), window_on_device(shape.window), locate};
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
    if (shape.kind == PoolingKind::max) {
        return fills_packs(shape) ? maximum_of_squares(shape, types)
                                  : maximum_backward(shape, types);
    }
    return fills_packs(shape) ? mean_backward<Pack::size>(shape, types)
                              : mean_backward<1>(shape, types);
}

}  // namespace strata::cuda
