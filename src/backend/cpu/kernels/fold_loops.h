// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cpu {

// A batch normalisation in inference, y = (x - mean) / sqrt(variance + epsilon) * scale + shift by
// channel, whose x is a convolution's result. One value of each for each channel.
struct FoldedNormalization {
    const float* scale = nullptr;
    const float* shift = nullptr;
    const float* mean = nullptr;
    const float* variance = nullptr;
    double epsilon = 0;
    std::size_t channels = 0;
};

// The weights (`each` consecutive ones per channel) with which the convolution gives the normalised
// result, apart from a constant for each channel.
void fold_into_weights(const FoldedNormalization& normalization, const float* weights,
                       std::size_t each, float* folded);

// That constant. `bias` is the convolution's own; null if it has none.
void fold_into_bias(const FoldedNormalization& normalization, const float* bias, float* folded);

}  // namespace strata::cpu
