// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/fold.h"
#include "op/reduction.h"

#include <array>

namespace strata::cuda {

// y = the statistic over the folded axes. Inputs: x; for log_sum_exp also the greatest term of each
// result, broadcast; y is then the logarithm of the sum of exp(x - greatest).
FoldKernels reduction_forward(ReductionKind kind, const FoldShape& shape,
                              const std::vector<ElementType>& types);

// The index, along the folded axes, of the first element that equals the maximum or minimum.
// Inputs: x and y, broadcast; the result is f32.
FoldKernels reduction_place(const FoldShape& shape, const std::array<ElementType, 2>& types);

// dx = dy * d y / d x for every element. The shape's inputs are x, dy, y, the places (of maximum
// and minimum; else y again) and dx, all but x and dx broadcast. Addresses and types in this order.
Kernel reduction_backward(ReductionKind kind, const FoldShape& shape,
                          const std::array<ElementType, 5>& types);

}  // namespace strata::cuda
