// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/fold.h"
#include "backend/cuda/kernels/strides.h"

namespace strata::cuda {

// The axes of a fold as kernels walk them.
struct FoldAxes {
    Axes kept;           // strides of the inputs, then of the output
    Axes folded;         // strides of the inputs
    Axes results;        // the kept axes with the output's strides alone
    bool is_contiguous;  // elements adjacent in memory are folded together
};
FoldAxes fold_axes(const FoldShape& shape);

// The number of slices each result is folded in, so that the whole GPU is busy.
std::int64_t fold_slices(const FoldAxes& axes);
// The same if each result is a pack of channels and each element a row.
std::int64_t channel_slices(std::int64_t rows, std::int64_t packs);

}  // namespace strata::cuda
