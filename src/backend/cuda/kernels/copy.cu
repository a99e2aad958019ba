// SPDX-License-Identifier: MIT
#include "backend/cuda/kernels/movement.h"

#include "backend/cuda/kernels/map.cuh"
#include "backend/cuda/kernels/walk.cuh"

namespace strata::cuda {

namespace {

struct CopyBody {
    Elements from;
    Elements to;
    Axes axes;
    std::int64_t from_begin;
    std::int64_t to_begin;

    __device__ void operator()(std::int64_t i) const {
        const auto offsets = offsets_of<2>(axes, i);
        to.store(to_begin + offsets.at[1], from.load(from_begin + offsets.at[0]));
    }
};

// Elements adjacent on both sides are moved in packs.
struct Same {
    __device__ void operator()(std::int64_t, const float* from, float* to) const {
        to[0] = from[0];
    }
};

bool is_dense(const Axes& axes) {
    return axes.rank == 0 || (axes.rank == 1 && axes.strides[0][0] == 1 && axes.strides[1][0] == 1);
}

struct FillBody {
    Elements to;
    float value;

    __device__ void operator()(std::int64_t i) const { to.store(i, value); }
};

}  // namespace

Kernel strided_copy(std::string name, const Dims& dims, const StridedSide& from,
                    const StridedSide& to) {
    const Axes axes = sorted_axes(dims, {from.strides, to.strides});
    if (is_dense(axes) && from.begin == 0 && to.begin == 0) {
        return map<1, 1>(std::move(name), axes.count, {from.type, to.type}, Same());
    }
    return each(std::move(name), product(dims),
                [axes, types = std::array{from.type, to.type},
                 begins = std::array{from.begin, to.begin}](std::span<void* const> at) {
                    return CopyBody{Elements(at[0], types[0]), Elements(at[1], types[1]), axes,
                                    begins[0], begins[1]};
                });
}

Kernel fill(std::string name, std::int64_t count, ElementType type, float value) {
    return each(std::move(name), count, [=](std::span<void* const> at) {
        return FillBody{Elements(at[0], type), value};
    });
}

}  // namespace strata::cuda
