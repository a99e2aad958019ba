// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/device/format.h"
#include "backend/cuda/device/kernel.h"
#include "backend/cuda/kernels/strides.h"

#include <array>

namespace strata::cuda {

// Scores[batch, heads, queries, keys], the keys' axis innermost. The mask has a stride for each of
// these four axes, 0 if it is broadcast.
struct ScoreShape {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    bool causal = false;
    std::array<std::int64_t, 4> mask = {};
    bool has_mask = false;
};

// p = softmax(score + mask), 0 where a query sees nothing. Addresses: scores (f32), mask (any
// address if there is none), p.
Kernel masked_softmax(const ScoreShape& shape, ElementType mask, ElementType p);

// ds = p (dp - sum of dp p). Addresses: p, dp (f32), ds.
Kernel score_gradient(const ScoreShape& shape, ElementType p, ElementType ds);

}  // namespace strata::cuda
