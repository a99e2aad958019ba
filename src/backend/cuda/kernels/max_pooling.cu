// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/lanes.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/planes.cuh"
#include "backend/cuda/kernels/pooling.h"
#include "backend/cuda/kernels/pooling_window.cuh"

#include <algorithm>

namespace strata::cuda {

namespace {

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

// How blocks divide the gradient of x: a tile has adjacent positions, which may belong to several
// planes.
struct MaximumTiles {
    static constexpr int elements = 6144;

    std::int64_t inputs;  // positions of all planes
    Divisor input_plane;  // positions of one
    Divisor output_plane;
    int leading;      // the first axis that is longer than 1
    int output_step;  // outputs from one index of that axis to the next
    Divisor by_input_step;
    Divisor height;  // outputs
    Divisor width;
    // Windows whose outputs differ by less than this along some axis may overlap.
    Divisor apart[3];
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
        const std::int64_t begin = block * MaximumTiles::elements;
        const std::int64_t left = tiles.inputs - begin;
        const int size =
            left < MaximumTiles::elements ? static_cast<int>(left) : MaximumTiles::elements;
        for (int i = static_cast<int>(threadIdx.x); i < size; i += threads_of_each) {
            sums[i] = 0;
        }
        __syncthreads();
        const std::int64_t plane = tiles.input_plane.quotient(begin);
        const Place place = {static_cast<int>(plane * tiles.input_plane.value() - begin), size};
        const Outputs outputs = outputs_over(plane, place);
        const int turns = static_cast<int>(tiles.apart[0].value() * tiles.apart[1].value() *
                                           tiles.apart[2].value());
        for (int first = outputs.begin; first < outputs.end; first += ahead * threads_of_each) {
            add_shares(outputs, first, place, turns, sums);
        }
        for (int i = static_cast<int>(threadIdx.x); i < size; i += threads_of_each) {
            dx.store(begin + i, sums[i]);
        }
    }

private:
    static constexpr int ahead = 8;

    // Where the tile's first plane begins, counted from the tile's beginning; the tile's elements.
    struct Place {
        int first_plane;
        int size;
    };
    // The outputs that may have their maxima in a tile, counted from those of its first plane.
    struct Outputs {
        std::int64_t origin;
        int begin;
        int end;
    };
    // An output's gradient and maximum, which has a place in the tile and a turn, or is elsewhere.
    struct Share {
        float place = -1;
        RawElement gradient = 0;
        int at = 0;
        int turn = -1;
    };

    __device__ Outputs outputs_over(std::int64_t plane, const Place& place) const {
        const AxisOfWindow& axis = window.axes[tiles.leading];
        const auto positions = static_cast<int>(tiles.input_plane.value());
        const auto outputs = static_cast<int>(tiles.output_plane.value());
        const int last_position = place.size - 1 - place.first_plane;
        const int last_plane = tiles.input_plane.small_quotient(last_position);
        const int from = tiles.by_input_step.small_quotient(-place.first_plane);
        const int to = tiles.by_input_step.small_quotient(last_position - last_plane * positions);
        return {plane * outputs, axis.first_over(from) * tiles.output_step,
                last_plane * outputs + (axis.last_over(to) + 1) * tiles.output_step};
    }
    // All threads take part, because those of one turn wait for those of the turn before.
    __device__ void add_shares(const Outputs& outputs, int first, const Place& place, int turns,
                               float* sums) const {
        Share shares[ahead];
        const int own = first + static_cast<int>(threadIdx.x);
        unrolled<ahead>([&](int step) {
            const int output = own + step * static_cast<int>(threads_of_each);
            if (output < outputs.end) {
                shares[step].place = places[outputs.origin + output];
                shares[step].gradient = dy.load_raw(outputs.origin + output);
            }
        });
        unrolled<ahead>([&](int step) {
            find(shares[step], own + step * static_cast<int>(threads_of_each), place);
        });
        for (int turn = 0; turn < turns; ++turn) {
            unrolled<ahead>([&](int step) {
                if (shares[step].turn == turn) {
                    sums[shares[step].at] += dy.value_of(shares[step].gradient);
                }
            });
            __syncthreads();
        }
    }
    __device__ void find(Share& share, int output, const Place& place) const {
        const int plane = tiles.output_plane.small_quotient(output);
        const int at = place.first_plane + plane * static_cast<int>(tiles.input_plane.value()) +
                       static_cast<int>(share.place);
        if (share.place >= 0 && at >= 0 && at < place.size) {
            share.at = at;
            share.turn = turn_of(output - plane * static_cast<int>(tiles.output_plane.value()));
        }
    }
    __device__ int turn_of(int output) const {
        const int row = tiles.width.small_quotient(output);
        const int at[3] = {tiles.height.small_quotient(row), tiles.height.small_remainder(row),
                           tiles.width.small_remainder(output)};
        int turn = 0;
        unrolled<3>([&](int axis) {
            turn = turn * static_cast<int>(tiles.apart[axis].value()) +
                   tiles.apart[axis].small_remainder(at[axis]);
        });
        return turn;
    }
};

MaximumTiles maximum_tiles(const PoolingShape& shape) {
    const auto& axes = shape.window.axes;
    const auto is_single = [&](int axis) {
        const WindowAxis& own = axes[static_cast<std::size_t>(axis)];
        return own.input == 1 && own.output == 1;
    };
    MaximumTiles tiles = {};
    tiles.inputs = shape.images * shape.channels * shape.window.input_positions();
    tiles.input_plane = Divisor(shape.window.input_positions());
    tiles.output_plane = Divisor(shape.window.output_positions());
    while (tiles.leading < 2 && is_single(tiles.leading)) {
        ++tiles.leading;
    }
    std::int64_t input_step = 1;
    tiles.output_step = 1;
    for (auto axis = static_cast<std::size_t>(tiles.leading) + 1; axis < 3; ++axis) {
        input_step *= axes[axis].input;
        tiles.output_step *= static_cast<int>(axes[axis].output);
    }
    tiles.by_input_step = Divisor(input_step);
    tiles.height = Divisor(axes[1].output);
    tiles.width = Divisor(axes[2].output);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t extent = (axes[axis].kernel - 1) * axes[axis].dilation + 1;
        tiles.apart[axis] =
            Divisor(std::min(axes[axis].output, ceiling(extent, axes[axis].stride)));
    }
    return tiles;
}

constexpr const char* maximum_name = "strata:max_pooling_backward";

Kernel maximum_of_tiles(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    const MaximumTiles divided = maximum_tiles(shape);
    const std::int64_t count =
        divided.inputs == 0 ? 0 : ceiling(divided.inputs, MaximumTiles::elements);
    return tiles(maximum_name, count, [=](std::span<void* const> at) {
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
    return each(maximum_name, count, [=](std::span<void* const> at) {
        return MaximumOfSquare{Elements(at[0], types[0]), Elements(at[1], ElementType::f32),
                               Elements(at[2], types[1]), window_on_device(shape.window), locate};
    });
}

}  // namespace

Kernel max_pooling_backward(const PoolingShape& shape, const std::array<ElementType, 2>& types) {
    return shape.order == Order::channels_last ? maximum_of_squares(shape, types)
                                               : maximum_of_tiles(shape, types);
}

}  // namespace strata::cuda
