// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/fold_calls.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

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

}  // namespace strata::cuda
