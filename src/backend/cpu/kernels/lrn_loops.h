// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/bias_loops.h"

#include <cstddef>

namespace strata::cpu {

// Local response normalisation across channels: y[c] = x[c] s[c] ^ -beta with s[c] = k + scale *
// the sum of x^2 over the window of `size` channels that begins at c - (size - 1) / 2; an even one
// has one more channel after c than before it.
struct ChannelLrn {
    ChannelBlocks blocks;
    std::size_t size = 5;
    float scale = 0;
    float beta = 0.75F;
    float k = 1;
};

// Both run on OpenMP's threads. Padded channels, which must be zero, stay so.
void normalize_channels(const ChannelLrn& lrn, const float* x, float* y);

// dx[c] = dy[c] s[c] ^ -beta - 2 scale beta x[c] * the sum of dy x s ^ (-beta - 1) over the
// channels whose windows contain c.
void normalize_channels_gradient(const ChannelLrn& lrn, const float* x, const float* dy, float* dx);

}  // namespace strata::cpu
