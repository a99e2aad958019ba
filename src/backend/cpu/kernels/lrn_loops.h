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

// The same of images whose batch is the fastest dimension, with any exponent: the positions of all
// images of a channel are adjacent. y[c] = x[c] s[c] ^ -beta with s[c] = k + scale * sum of x^2
// over the window from c - (size - 1) / 2 on.
struct PlaneLrn {
    std::size_t channels = 0;
    std::size_t positions = 0;  // of all images
    std::size_t size = 5;
    float scale = 0;
    float beta = 0.75F;
    float k = 1;
};
void normalize_planes(const PlaneLrn& lrn, const float* x, float* y);

// dx[c] = dy[c] s[c] ^ -beta - 2 scale beta x[c] * sum of dy x s ^ (-beta - 1) over the
// channels whose windows have c.
void normalize_planes_gradient(const PlaneLrn& lrn, const float* x, const float* dy, float* dx);

}  // namespace strata::cpu
