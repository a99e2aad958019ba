// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/elements.cuh"

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

}  // namespace strata::cuda
