// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

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

}  // namespace strata::cuda
