// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/fold_calls.h"
#include "backend/cuda/lowering.h"

namespace strata::cuda {

// The order in which a layer of elements works: that of its first operand of the result's extents,
// rows where none has them.
Order common_order(Lowering& lowering, const Layer& layer);

// An operand where such a layer reads it: in the order where it has the result's extents, else in
// rows, from which it is broadcast. In its own element type.
TensorView operand_value(Lowering& lowering, const Layer& layer, std::size_t operand, Order order);

// Whether an operand of this part receives a gradient.
bool receives_gradient(const Lowering& lowering, const Layer& layer, std::size_t operand,
                       Role role);

// How an operand's gradient is stored: parameters' in f32, as their masters are.
Format gradient_format(const Lowering& lowering, TensorId tensor, Order order);

// The sum over the axes along which `dx` was broadcast to the extents of inputs[0]; the other
// inputs are broadcast to these, too.
FoldShape broadcast_fold(const std::vector<TensorView>& inputs, const TensorView& dx);

}  // namespace strata::cuda
