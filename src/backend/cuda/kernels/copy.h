// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

namespace strata::cuda {

// How one side of a copy lies: an element's place is the sum over the axes of index times stride,
// from `begin` on. A stride of 0 reads one element again and again, a negative one backwards.
struct StridedSide {
    ElementType type = ElementType::f32;
    Dims strides = {};
    std::int64_t begin = 0;
};

// to[index] = from[index] for every index within `dims`. Addresses: from, to. Throws Error where
// more axes than 8 remain after those that lie alike are joined.
Kernel strided_copy(std::string name, const Dims& dims, const StridedSide& from,
                    const StridedSide& to);

// Zeros everywhere. Addresses: to.
Kernel fill(std::string name, std::int64_t count, ElementType type, float value);

}  // namespace strata::cuda
