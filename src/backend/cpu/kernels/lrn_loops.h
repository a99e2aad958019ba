// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace strata::cpu {

// Local response normalisation across channels with the usual exponent, of images whose channels
// are adjacent: y[c] = x[c] (k + scale * sum of x[c - size / 2 .. c + size / 2]^2) ^ -3/4.
struct ChannelLrn {
    std::size_t channels = 0;  // at most max_lrn_channels
    std::size_t size = 5;      // odd, at most max_lrn_size
    float scale = 0;
    float k = 1;
};
inline constexpr std::size_t max_lrn_channels = 1024;
inline constexpr std::size_t max_lrn_size = 17;

// Positions of all images, on OpenMP's threads.
void normalize_channels(const ChannelLrn& lrn, const float* x, float* y, std::size_t positions);

}  // namespace strata::cpu
