// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/fold_loops.h"

#include <cmath>

namespace strata::cpu {

namespace {

double factor_of(const FoldedNormalization& normalization, std::size_t channel) {
    return static_cast<double>(normalization.scale[channel]) /
           std::sqrt(static_cast<double>(normalization.variance[channel]) + normalization.epsilon);
}

}  // namespace

void fold_into_weights(const FoldedNormalization& normalization, const float* weights,
                       std::size_t each, float* folded) {
    for (std::size_t channel = 0; channel < normalization.channels; ++channel) {
        const auto factor = static_cast<float>(factor_of(normalization, channel));
        for (std::size_t i = channel * each; i < (channel + 1) * each; ++i) {
            folded[i] = weights[i] * factor;
        }
    }
}

void fold_into_bias(const FoldedNormalization& normalization, const float* bias, float* folded) {
    for (std::size_t channel = 0; channel < normalization.channels; ++channel) {
        const double given = bias == nullptr ? 0 : static_cast<double>(bias[channel]);
        const double centred = given - static_cast<double>(normalization.mean[channel]);
        folded[channel] = static_cast<float>(centred * factor_of(normalization, channel) +
                                             static_cast<double>(normalization.shift[channel]));
    }
}

}  // namespace strata::cpu
