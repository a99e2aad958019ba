// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/fold.h"
#include "op/activation.h"
#include "op/elementwise.h"
#include "op/unary.h"

#include <array>

namespace strata::cuda {

// y = f(a, b) of tensors with equal layout; `cuts` truncates the result, as the quotient of
// integers is. Addresses: a, b, y.
Kernel elementwise_forward(ElementwiseKind kind, bool cuts, std::int64_t count,
                           const std::array<ElementType, 3>& types);

// The same with broadcasting. The strides are those of the operands, in the result's extents, and
// of the result.
Kernel elementwise_broadcast(ElementwiseKind kind, bool cuts, const Dims& extents,
                             const std::array<Dims, 3>& strides,
                             const std::array<ElementType, 3>& types);

// The gradient of operand number `operand` of up to three, summed over its copies: dx = sum of dy *
// d f / d x. `shape` has the strides of dy, of each operand (of a product: each other operand), and
// of dx. Addresses: dy, operands, dx, in the order of fold_calls.
FoldKernels elementwise_gradient(ElementwiseKind kind, int operand, const FoldShape& shape,
                                 const std::vector<ElementType>& types);

// y = condition ? a : b. Strides and types of condition, a, b, y.
Kernel select_forward(const Dims& extents, const std::array<Dims, 4>& strides,
                      const std::array<ElementType, 4>& types);

// The gradient of a (`of_first`) or b, summed over its copies. Inputs: dy, condition.
FoldKernels select_gradient(bool of_first, const FoldShape& shape,
                            const std::array<ElementType, 3>& types);

// The negated sum over the folded axes, or the plain sum. Inputs: one.
FoldKernels negative_sum_fold(const FoldShape& shape, const std::array<ElementType, 2>& types);
FoldKernels sum_fold(const std::string& name, const FoldShape& shape,
                     const std::array<ElementType, 2>& types);

// y = f(x). Addresses: x, y; the two may be the same.
Kernel activation_forward(const Activation& op, std::int64_t count,
                          const std::array<ElementType, 2>& types);

// dx = dy f'(x). Addresses: x (or y if the operator reads its output), dy, dx; dx may be dy.
Kernel activation_backward(const Activation& op, std::int64_t count,
                           const std::array<ElementType, 3>& types);

// y = f(x). Addresses: x, y; the two may be the same.
Kernel unary_forward(const Unary& op, std::int64_t count, const std::array<ElementType, 2>& types);

// dx = dy f'(x). Addresses: x (or y if the operator reads its output), dy, dx; dx may be dy.
Kernel unary_backward(const Unary& op, std::int64_t count, const std::array<ElementType, 3>& types);

// y = x / (1 - probability) if a DropoutChoice keeps x, else 0. The backward pass draws the mask
// again, which costs less than storing it. Addresses: x, y; the two may be the same.
Kernel dropout(std::uint64_t seed, double probability, std::int64_t count,
               const std::array<ElementType, 2>& types);

// y = x converted to `dtype` (backend/semantics.h), stored in the given types. Addresses: x, y.
Kernel cast(DataType dtype, std::int64_t count, const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
