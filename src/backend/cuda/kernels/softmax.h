// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

#include <array>

namespace strata::cuda {

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

// losses[n] = -log softmax(x[n])[label[n]]. Addresses: x, labels, losses (f32).
Kernel cross_entropy_forward(std::int64_t batch, std::int64_t classes,
                             const std::array<ElementType, 2>& types);

// dx[n] = (softmax(x[n]) - onehot(label[n])) / batch. Addresses: x, labels, dx.
Kernel cross_entropy_backward(std::int64_t batch, std::int64_t classes,
                              const std::array<ElementType, 3>& types);

}  // namespace strata::cuda
