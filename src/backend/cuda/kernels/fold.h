// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/strides.h"

#include <vector>

namespace strata::cuda {

// The index space of a fold: for every axis its extent, whether it is folded, and the stride of
// each input; the output's strides apply to the axes that stay.
struct FoldShape {
    Dims extents = {};
    std::vector<bool> folded = {};
    std::vector<Dims> inputs = {};
    Dims output = {};
};

// A fold as kernels: one, from the inputs to the outputs; or, if a few results have many elements
// each, one that writes `partials` floats and one that folds those. Addresses: inputs and outputs
// of a single kernel; inputs and partials of the first, partials and outputs of the second.
struct FoldKernels {
    std::vector<Kernel> kernels = {};
    std::int64_t partials = 0;
};

// The axes of a fold as kernels walk them.
struct FoldAxes {
    Axes kept;           // strides of the inputs, then of the output
    Axes folded;         // strides of the inputs
    Axes results;        // the kept axes with only the output's strides
    bool is_contiguous;  // elements adjacent in memory are folded together
};
FoldAxes fold_axes(const FoldShape& shape);

// The number of slices each result is folded in, so that the whole GPU is busy.
std::int64_t fold_slices(const FoldAxes& axes);
// The same if each result is a pack of channels and each element a row.
std::int64_t channel_slices(std::int64_t rows, std::int64_t packs);

}  // namespace strata::cuda
