// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/narrow.h"

#include <cstddef>
#include <cstdint>
#include <span>

// Our own loops for operations that the library lacks. All run on OpenMP's threads.
namespace strata::cpu {

// m = momentum * m + gradient; w = w - rate * m.
void sgd_momentum(float* weight, float* momentum, const float* gradient, std::size_t count,
                  float rate, float keep);

// w = w - rate * gradient.
void sgd(float* weight, const float* gradient, std::size_t count, float rate);

// m = keep1 * m + (1 - keep1) * g; v = keep2 * v + (1 - keep2) * g * g;
// w = w - rate * m / (sqrt(v) + epsilon). Requires: epsilon > 0, so that zeros stay zeros.
struct AdamFactors {
    float keep1 = 0;
    float take1 = 0;  // 1 - keep1, rounded once
    float keep2 = 0;
    float take2 = 0;
    float rate = 0;
    float epsilon = 0;
};
void adam(float* weight, float* mean, float* square, const float* gradient, std::size_t count,
          const AdamFactors& factors);

// y = x0 + x1 + ... of two or more arrays of y's type, rounded once; y may be the first.
void add_up(std::span<void* const> terms, const Elements& y, std::size_t count);

// running = keep * running + (1 - keep) * batch.
void blend(float* running, const float* batch, std::size_t count, float keep);

// Dropout draws by logical index. `index` maps each element in memory to it; null if the two are
// the same.
struct DropoutDraw {
    std::uint64_t seed = 0;
    double probability = 0;
    const float* index = nullptr;
};

// y = x / (1 - probability) if a DropoutChoice keeps x, else 0; `mask` records which elements were
// kept.
void dropout(const float* x, float* y, std::uint8_t* mask, std::size_t count,
             const DropoutDraw& draw);
void dropout_gradient(const float* dy, const std::uint8_t* mask, float* dx, std::size_t count,
                      double probability);

// The mean over the images of -log softmax(x)[label]. `logarithms` receives the logarithm of each
// image's sum of exponentials, which the gradient reads.
void softmax_cross_entropy(const float* x, const std::int32_t* labels, float* loss,
                           float* logarithms, std::size_t images, std::size_t classes);
// dx = (softmax(x) - onehot(label)) / images, times the gradient of the loss, which is 1.
void softmax_cross_entropy_gradient(const float* x, const std::int32_t* labels,
                                    const float* logarithms, float* dx, std::size_t images,
                                    std::size_t classes);

}  // namespace strata::cpu
