// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/elements.cuh"

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

}  // namespace strata::cuda
