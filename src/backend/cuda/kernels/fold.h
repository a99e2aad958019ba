// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <vector>

namespace strata::cuda {

// The places of a fold: of every axis its extent, whether it is folded away, and the stride of each
// input in it; the output's strides count for the axes that stay.
struct FoldShape {
    Dims extents = {};
    std::vector<bool> folded = {};
    std::vector<Dims> inputs = {};
    Dims output = {};
};

// A fold as kernels: one, from the inputs to the outputs; or, where few results are made of many
// elements each, one that leaves `partials` floats and one that folds those. Addresses: inputs and
// outputs of a single kernel; inputs and partials of the first, partials and outputs of the second.
struct FoldKernels {
    std::vector<Kernel> kernels = {};
    std::int64_t partials = 0;
};

}  // namespace strata::cuda
