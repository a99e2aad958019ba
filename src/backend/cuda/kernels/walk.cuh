// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/strides.h"

namespace strata::cuda {

// The offset of the element with this index, counted along `axes`, in each of the first Tensors.
template <int Tensors>
struct Offsets {
    std::int64_t at[Tensors];
};

template <int Tensors>
__device__ Offsets<Tensors> offsets_of(const Axes& axes, std::int64_t number) {
    Offsets<Tensors> offsets = {};
    for (int axis = axes.rank - 1; axis >= 0; --axis) {
        const std::int64_t rest = axes.extents[axis].quotient(number);
        const std::int64_t index = number - rest * axes.extents[axis].value();
        for (int tensor = 0; tensor < Tensors; ++tensor) {
            offsets.at[tensor] += index * axes.strides[tensor][axis];
        }
        number = rest;
    }
    return offsets;
}

}  // namespace strata::cuda
