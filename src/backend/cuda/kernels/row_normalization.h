// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/fold.h"
#include "op/normalization.h"

#include <array>

namespace strata::cuda {

// The parameters of layer and group normalisation (op/normalization.h) that kernels need.
struct NormalizedRows {
    std::int64_t rows = 0;
    std::int64_t width = 0;
    std::int64_t groups = 1;
    std::int64_t inner = 1;
    float epsilon = 0;
    bool centred = true;
    bool scales = false;
    bool shifts = false;
};
NormalizedRows rows_for_kernels(const RowNormalization& normalization);

// y = scale (x - mean) inverse + shift for each row; also writes the row's mean and inverse
// deviation. Addresses: x, scale, shift (any address if there is none), y, mean, inverse; f32 but x
// and y.
Kernel row_normalization_forward(const NormalizedRows& shape,
                                 const std::array<ElementType, 2>& types);

// With g = dy scale: dx = inverse (g - mean(g) - x^ mean(g x^)). Addresses: x, dy, scale, mean,
// inverse, dx; f32 but x, dy and dx.
Kernel row_normalization_backward(const NormalizedRows& shape,
                                  const std::array<ElementType, 3>& types);

// The sum of dy x^ (`of_scale`) or of dy over all elements that share a parameter. Inputs: dy, x,
// mean, inverse. Output: f32.
FoldKernels row_parameter_fold(bool of_scale, const NormalizedRows& shape,
                               const std::array<ElementType, 2>& types);

}  // namespace strata::cuda
