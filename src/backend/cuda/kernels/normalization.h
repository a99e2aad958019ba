// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/fold.h"
#include "op/lrn.h"
#include "op/normalization_statistics.h"

#include <array>

namespace strata::cuda {

// The index of an element's per-channel parameter: index / inner % channels.
struct ChannelPlace {
    std::int64_t inner = 1;
    std::int64_t channels = 1;
};

// The place for an image in this order.
ChannelPlace channel_place(const Dims& image, Order order);

// Whether innermost channels can be read a pack at a time.
bool fills_packs(std::int64_t channels);

// The sum over all rows, channel by channel. Inputs: [rows, channels]. Requires: fills_packs.
FoldKernels row_sums(const std::string& name, std::int64_t rows, std::int64_t channels,
                     const std::array<ElementType, 2>& types);

// y += the bias of each element's channel. Addresses: y, bias (f32), y.
Kernel channel_bias(std::int64_t count, const ChannelPlace& place, ElementType y);

// Batch normalisation in three passes over x: its moments, the values that follow from them for
// each channel, and the normalisation itself.

// The sums of x - s and (x - s)^2 over the folded axes, where s is the first element of each
// result, so that a large mean costs no precision. Inputs: x and s, x's first elements broadcast.
FoldParts moments_fold(const FoldShape& shape, ElementType x);

// The same for channels-last rows that fill packs; s is the first row.
FoldParts channel_moments(std::int64_t rows, std::int64_t channels, ElementType x);

// What follows from the moments of `each` elements, summed in slices. `x_stride` is the stride of s
// within x.
struct BatchStatistics {
    std::int64_t slices = 1;
    std::int64_t x_stride = 1;
    float each = 1;
    float epsilon = 0;
    float keep = 0;  // of the running statistics
    float take = 0;  // of the batch's
};

// For each statistic: mean and inverse = 1 / sqrt(biased variance + epsilon); running = keep *
// running + take * batch's. Addresses: parts of the moments, x, mean, inverse, running mean,
// running variance; all f32 but x.
Kernel statistics_kernel(std::int64_t count, const BatchStatistics& statistics, ElementType x);
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

// The parameters of layer and group normalisation (op/normalization_statistics.h) that kernels
// need.
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

// The sums of dy x^ and of dy over all elements that share a parameter: the gradients of scale and
// shift. Inputs: dy, x, mean, inverse. Outputs: two of f32.
FoldKernels row_parameter_fold(const NormalizedRows& shape,
                               const std::array<ElementType, 2>& types);

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

// The layout of images: channels are `stride` elements apart, each has `images` times `positions`
// elements.
struct LrnShape {
    std::int64_t images = 1;
    std::int64_t channels = 1;
    std::int64_t positions = 1;
    Order order = Order::rows;
};

// y = x s^-beta with s = k + alpha / size * sum of x^2 over the window. Addresses: x, y.
Kernel lrn_forward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 2>& types);

// dx[j] = dy[j] s[j]^-beta - 2 alpha beta / size x[j] sum of dy[c] x[c] s[c]^(-beta-1) over the c
// whose windows cover j. Addresses: x, dy, dx.
Kernel lrn_backward(const Lrn& op, const LrnShape& shape, const std::array<ElementType, 3>& types);

}  // namespace strata::cuda
