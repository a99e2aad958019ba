// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/lrn_loops.h"

#include "backend/cpu/kernels/isa.h"

#include <cmath>

namespace strata::cpu {

namespace {

// s^(-3/4) is 1 / sqrt(s sqrt(s)), which processors have instructions for.
STRATA_EACH_ISA void normalize_position(const ChannelLrn& lrn, const float* x, float* y) {
    float squares[max_lrn_channels + max_lrn_size];
    float sums[max_lrn_channels];
    const std::size_t half = lrn.size / 2;
    float* const middle = squares + half;
    for (std::size_t i = 0; i < half; ++i) {
        squares[i] = middle[lrn.channels + i] = 0;
    }
    for (std::size_t c = 0; c < lrn.channels; ++c) {
        middle[c] = x[c] * x[c] * lrn.scale;
        sums[c] = lrn.k;
    }
    for (std::size_t tap = 0; tap < lrn.size; ++tap) {
        for (std::size_t c = 0; c < lrn.channels; ++c) {
            sums[c] += squares[c + tap];
        }
    }
    for (std::size_t c = 0; c < lrn.channels; ++c) {
        y[c] = x[c] / std::sqrt(sums[c] * std::sqrt(sums[c]));
    }
}

}  // namespace

void normalize_channels(const ChannelLrn& lrn, const float* x, float* y, std::size_t positions) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < positions; ++i) {
        normalize_position(lrn, x + i * lrn.channels, y + i * lrn.channels);
    }
}

}  // namespace strata::cpu
