// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/fold.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

struct StridedSide;  // kernels/movement.h

// The whole view as a side of a copy.
StridedSide side_of(const TensorView& view);

// The element order of an elementwise layer: that of the first operand with the result's extents,
// or rows if no operand has them.
Order common_order(Lowering& lowering, const Layer& layer);

// The view of an operand as an elementwise layer reads it, in the operand's own element type. An
// operand with the result's extents is in the given order; any other is row-major and is broadcast.
TensorView operand_value(Lowering& lowering, const Layer& layer, std::size_t operand, Order order);

// Whether an operand receives a gradient and has this role.
bool receives_gradient(const Lowering& lowering, const Layer& layer, std::size_t operand,
                       Role role);

// The format of an operand's gradient. Gradients of parameters are f32, as their master values are.
Format gradient_format(const Lowering& lowering, TensorId tensor, Order order);

// The fold that sums over the axes along which `dx` was broadcast to the extents of inputs[0]. The
// other inputs are broadcast to these extents, too.
FoldShape broadcast_fold(const std::vector<TensorView>& inputs, const TensorView& dx);

// The calls of a fold, with intermediate memory if it has two kernels.
std::vector<Call> fold_calls(Lowering& lowering, FoldKernels fold, std::vector<TensorView> inputs,
                             const std::vector<TensorView>& outputs);

// The strides of an operand that is broadcast to `result` by NumPy's rule: 0 along broadcast axes.
// The operand's axes are aligned with the last axes of the result.
Dims broadcast_strides(const Dims& dims, const Dims& strides, const Dims& result);
// The same for the tensor that a view covers.
Dims broadcast_strides(const TensorView& view, const Dims& result);

// A gradient to which a kernel adds in no given order. It is summed in f32 whatever its storage
// type, because one element may receive many terms. `add` gets the view of the sum and makes the
// call that adds.
std::vector<Call> scattered_gradient(Lowering& lowering, const TensorView& gradient,
                                     const std::function<Call(const TensorView& sum)>& add);

}  // namespace strata::cuda
