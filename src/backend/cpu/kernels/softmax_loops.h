// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cpu {

// A softmax along an axis of a row-major tensor that is not the innermost: of `outer` x `terms` x
// `inner` elements, those along the middle axis add up to 1.
struct AcrossRows {
    std::int64_t outer = 1;
    std::int64_t terms = 1;
    std::int64_t inner = 1;
    bool logarithm = false;
};

// y = the softmax of x, or its logarithm, on OpenMP's threads.
void softmax_across(const AcrossRows& shape, const float* x, float* y);

// dx from the result y and its gradient dy.
void softmax_across_gradient(const AcrossRows& shape, const float* y, const float* dy, float* dx);

}  // namespace strata::cpu
