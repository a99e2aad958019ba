// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/fold.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// The calls of a fold, with memory between its kernels where there are two.
std::vector<Call> fold_calls(Lowering& lowering, FoldKernels fold, std::vector<TensorView> inputs,
                             const std::vector<TensorView>& outputs);

// The strides of an operand that is broadcast to `result` as NumPy does: 0 where it is repeated.
// Its own extents and strides are aligned with the last of the result's.
Dims broadcast_strides(const Dims& dims, const Dims& strides, const Dims& result);
// The same of what a view covers.
Dims broadcast_strides(const TensorView& view, const Dims& result);

}  // namespace strata::cuda
