// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "op/tensor.h"

#include <array>
#include <vector>

namespace strata::cuda {

// The most axes that an index has on the device.
inline constexpr int max_axes = 8;

// Axes of a walk through several tensors at once, outermost first; extents of 1 are gone and
// neighbours that every tensor lies through as through one axis are joined.
struct Axes {
    int rank = 0;
    std::int64_t count = 1;  // of all elements
    Divisor extents[max_axes] = {};
    // By tensor and axis.
    static constexpr int max_tensors = 6;
    std::int64_t strides[max_tensors][max_axes] = {};
};

// Axes keep their order. Throws Error where more than max_axes remain. Requires: as many strides
// for each tensor as extents, at most
// max_tensors tensors.
Axes joined_axes(const Dims& extents, const std::vector<Dims>& strides);

// The same with the axes sorted so that the last tensor's strides fall: neighbouring indices lie
// side by side in it.
Axes sorted_axes(const Dims& extents, const std::vector<Dims>& strides);

}  // namespace strata::cuda
