// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/broadcast_plan.h"
#include "op/elementwise.h"

namespace strata::cpu {

// The operands' elements, in the plan's order of operands.
using BroadcastInputs = std::span<const float* const>;

// y = x0 op x1 op ..., for each element of the result. `whole_numbers`: the elements are integers,
// whose quotient is truncated towards zero.
void elementwise(ElementwiseKind kind, const BroadcastPlan& plan, BroadcastInputs inputs, float* y,
                 bool whole_numbers = false);

// d(loss)/d(operand `which`) = sum over its copies of dy * dy/dx. The gradient of a maximum goes to
// the first operand that has it. `dx` has `dx_elements` and is overwritten.
void elementwise_gradient(ElementwiseKind kind, const BroadcastPlan& plan, BroadcastInputs inputs,
                          std::size_t which, const float* dy, float* dx, std::size_t dx_elements);

// y = condition ? a : b, with three operands, and the gradient of operand 1 or 2.
void select(const BroadcastPlan& plan, BroadcastInputs inputs, float* y);
void select_gradient(const BroadcastPlan& plan, BroadcastInputs inputs, std::size_t which,
                     const float* dy, float* dx, std::size_t dx_elements);

}  // namespace strata::cpu
