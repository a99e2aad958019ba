// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/divisor.h"
#include "op/tensor.h"

#include <array>
#include <vector>

namespace strata::cuda {

// The maximum rank of an index on the device.
inline constexpr int max_axes = 8;

// The axes of a walk through several tensors at once, outermost first. Extents of 1 are removed,
// and adjacent axes that are contiguous in every tensor are merged.
struct Axes {
    int rank = 0;
    std::int64_t count = 1;  // of all elements
    Divisor extents[max_axes] = {};
    // By tensor and axis.
    static constexpr int max_tensors = 6;
    std::int64_t strides[max_tensors][max_axes] = {};
};

// Keeps the order of the axes. Throws Error if more than max_axes remain. Requires: one stride per
// extent for each tensor, at most max_tensors tensors.
Axes joined_axes(const Dims& extents, const std::vector<Dims>& strides);

// The same with the axes sorted by descending stride of the last tensor, so that neighbouring
// indices are adjacent in it.
Axes sorted_axes(const Dims& extents, const std::vector<Dims>& strides);

}  // namespace strata::cuda
