// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernels/elements.cuh"
#include "backend/cuda/kernels/launch.cuh"
#include "backend/cuda/kernels/planes.cuh"

namespace strata::cuda {

namespace {

// The taps of an output element: their positions in the input, and their weights.
struct Taps {
    const float* table;
    std::int64_t input[3];
    std::int64_t output[3];
    std::int64_t taps[3];
    Locator locate;

    template <class Use>
    __device__ void each(std::int64_t i, const Use& use) const {
        const Element o = locate(i);
        const std::int64_t inputs = input[0] * input[1] * input[2];
        const std::int64_t plane = o.begin(inputs);
        const std::int64_t all = taps[0] * taps[1] * taps[2];
        for (std::int64_t tap = 0; tap < all; ++tap) {
            std::int64_t rest = tap;
            std::int64_t position = 0;
            std::int64_t step = 1;
            float weight = 1;
            for (int axis = 2; axis >= 0; --axis) {
                const float* own = table + begin_of(axis);
                const std::int64_t entry = o.at[axis] * taps[axis] + rest % taps[axis];
                rest /= taps[axis];
                position += static_cast<std::int64_t>(own[entry]) * step;
                weight *= own[output[axis] * taps[axis] + entry];
                step *= input[axis];
            }
            use(plane + position * o.stride, weight);
        }
    }

private:
    __device__ std::int64_t begin_of(int axis) const {
        std::int64_t begin = 0;
        for (int before = 0; before < axis; ++before) {
            begin += 2 * output[before] * taps[before];
        }
        return begin;
    }
};

struct ForwardBody {
    Elements x;
    Elements y;
    Taps taps;

    __device__ void operator()(std::int64_t i) const {
        float sum = 0;
        taps.each(i, [&](std::int64_t at, float weight) { sum += weight * x.load(at); });
        y.store(i, sum);
    }
};

struct ScatterBody {
    Elements dy;
    float* sum;
    Taps taps;

    __device__ void operator()(std::int64_t i) const {
        const float gradient = dy.load(i);
        taps.each(i,
                  [&](std::int64_t at, float weight) { atomicAdd(sum + at, weight * gradient); });
    }
};

Taps taps_of(const ResizeShape& shape, void* table) {
    Taps taps = {
        static_cast<const float*>(table),
        {},
        {},
        {},
        {Divisor(shape.channels), Divisor(shape.output[0] * shape.output[1] * shape.output[2]),
         Divisor(shape.output[1]), Divisor(shape.output[2]), shape.order == Order::channels_last}};
    for (std::size_t i = 0; i < 3; ++i) {
        taps.input[i] = shape.input[i];
        taps.output[i] = shape.output[i];
        taps.taps[i] = shape.taps[i];
    }
    return taps;
}

std::int64_t outputs_of(const ResizeShape& shape) {
    return shape.images * shape.channels * shape.output[0] * shape.output[1] * shape.output[2];
}

}  // namespace

Kernel resize_forward(const ResizeShape& shape, const std::array<ElementType, 2>& types) {
    return each("strata:resize_forward", outputs_of(shape), [=](std::span<void* const> at) {
        return ForwardBody{Elements(at[0], types[0]), Elements(at[2], types[1]),
                           taps_of(shape, at[1])};
    });
}

Kernel resize_scatter(const ResizeShape& shape, ElementType dy) {
    return each("strata:resize_backward", outputs_of(shape), [=](std::span<void* const> at) {
        return ScatterBody{Elements(at[0], dy), static_cast<float*>(at[2]), taps_of(shape, at[1])};
    });
}

}  // namespace strata::cuda
