// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/device/program.h"
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

// x[outer, extent, inner], along the middle axis.
struct SoftmaxShape {
    std::int64_t outer = 1;
    std::int64_t extent = 1;
    std::int64_t inner = 1;
    bool logarithm = false;
};

// y = exp(x) / sum of exp(x), or its logarithm. Addresses: x, y; the two may be the same.
Kernel softmax_forward(const SoftmaxShape& shape, const std::array<ElementType, 2>& types);

// dx = y (dy - sum of dy y); for the logarithm, dx = dy - exp(y) sum of dy. Addresses: y, dy, dx.
Kernel softmax_backward(const SoftmaxShape& shape, const std::array<ElementType, 3>& types);

// losses[n] = -log softmax(x[n])[label[n]]; also writes each row's greatest element, then each sum
// of exp(x - greatest). Addresses: x, labels, losses, these; f32 but x and labels.
Kernel cross_entropy_forward(std::int64_t batch, std::int64_t classes,
                             const std::array<ElementType, 2>& types);

// dx[n] = (softmax(x[n]) - onehot(label[n])) / batch. Addresses: x, labels, what the forward pass
// wrote, dx. Types: x, labels, dx.
Kernel cross_entropy_backward(std::int64_t batch, std::int64_t classes,
                              const std::array<ElementType, 3>& types);

// sum = the sum of views with equal layout, a few per call; the first may be `sum` itself.
// Requires: two terms or more.
std::vector<Call> sum_calls(const std::vector<TensorView>& terms, const TensorView& sum);

}  // namespace strata::cuda
