// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/fold.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// The calls of a fold, with intermediate memory if it has two kernels.
std::vector<Call> fold_calls(Lowering& lowering, FoldKernels fold, std::vector<TensorView> inputs,
                             const std::vector<TensorView>& outputs);

// The strides of an operand that is broadcast to `result` by NumPy's rule: 0 along broadcast axes.
// The operand's axes are aligned with the last axes of the result.
Dims broadcast_strides(const Dims& dims, const Dims& strides, const Dims& result);
// The same for the tensor that a view covers.
Dims broadcast_strides(const TensorView& view, const Dims& result);

}  // namespace strata::cuda
