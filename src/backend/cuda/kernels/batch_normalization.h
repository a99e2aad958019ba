// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/kernels/channels.h"
#include "backend/cuda/kernels/fold.h"

#include <array>

namespace strata::cuda {

// Batch normalisation in three passes over x: its moments, the values that follow from them for
// each channel, and the normalisation itself.

// Mean and biased variance over the folded axes, from sums of x - s and (x - s)^2, where s is the
// first element of each result, so that a large mean costs no precision. Inputs: x and s, x's first
// elements broadcast. Outputs: mean - s and variance, f32.
FoldKernels moments_fold(const FoldShape& shape, const std::array<ElementType, 2>& types);

// The same for channels-last rows that fill packs; s is the first row.
FoldKernels channel_moments(std::int64_t rows, std::int64_t channels,
                            const std::array<ElementType, 2>& types);

// For each statistic: mean += s; inverse = 1 / sqrt(variance + epsilon); running = momentum *
// running + (1 - momentum) * batch's. `x_stride` is the stride of s within x. Addresses: x, mean,
// variance, inverse, running mean, running variance; all f32 but x, all in place.
Kernel statistics_kernel(std::int64_t count, std::int64_t x_stride, ElementType x, double epsilon,
                         double momentum);
// For given statistics: computes only the inverse. Addresses: variance, inverse.
Kernel inverse_kernel(std::int64_t count, double epsilon);

// y = scale (x - mean) inverse + shift. Addresses: x, mean, inverse, scale, shift, y; f32 but x, y.
Kernel normalize_kernel(std::int64_t count, const ChannelPlace& place,
                        const std::array<ElementType, 2>& types);

// For each statistic, the sums of dy and of dy (x - mean) inverse: the gradients of shift and
// scale. Inputs: dy, x, mean, inverse (f32). Outputs: two of f32.
FoldKernels normalization_gradient_fold(const FoldShape& shape,
                                        const std::array<ElementType, 2>& types);

// The same for channels-last rows that fill packs.
FoldKernels channel_gradients(std::int64_t rows, std::int64_t channels,
                              const std::array<ElementType, 2>& types);

// dx = scale inverse (dy - mean(dy) - x^ mean(dy x^)), with the sums over `each` elements (Ioffe
// and Szegedy 2015). Addresses: x, dy, mean, inverse, scale, sum of dy, sum of dy x^, dx.
Kernel normalization_gradient_kernel(std::int64_t count, const ChannelPlace& place,
                                     std::int64_t each, const std::array<ElementType, 3>& types);

}  // namespace strata::cuda
