// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

namespace strata::cuda {

// The layout of one side of a copy: an element's offset is `begin` plus the sum over the axes of
// index times stride. A stride of 0 repeats one element, a negative one goes backwards.
struct StridedSide {
    ElementType type = ElementType::f32;
    Dims strides = {};
    std::int64_t begin = 0;
};

// to[index] = from[index] for every index within `dims`. Addresses: from, to. Throws Error if more
// than 8 axes remain after axes that are contiguous on both sides are merged.
Kernel strided_copy(std::string name, const Dims& dims, const StridedSide& from,
                    const StridedSide& to);

// to[i] = value for every element. Addresses: to.
Kernel fill(std::string name, std::int64_t count, ElementType type, float value);

}  // namespace strata::cuda
