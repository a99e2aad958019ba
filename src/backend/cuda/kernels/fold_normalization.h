// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"

namespace strata::cuda {

// A batch normalisation by given statistics that follows a convolution is a convolution with other
// weights and another bias: y = scale (w x + b - mean) / sqrt(variance + epsilon) + shift (Jacob et
// al. 2018, section 3.2).
struct FoldedNormalization {
    std::int64_t channels = 0;   // of the result
    std::int64_t inputs = 0;     // channels of each weight
    std::int64_t positions = 0;  // elements of the window
    double epsilon = 0;
};

// scaled = scale w / sqrt(variance + epsilon). Addresses: w in rows, scale, variance, all f32;
// scaled, of this format.
Kernel fold_into_weights(const FoldedNormalization& folded, const Format& scaled);

// shifted = scale (b - mean) / sqrt(variance + epsilon) + shift. Addresses: b, scale, shift, mean,
// variance, all f32; shifted, of this type.
Kernel fold_into_bias(const FoldedNormalization& folded, ElementType shifted);

}  // namespace strata::cuda
