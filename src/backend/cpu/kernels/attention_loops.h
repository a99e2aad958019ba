// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/narrow.h"
#include "op/attention.h"

#include <span>

namespace strata::cpu {

// Strides of a mask along batch, heads, queries and keys; 0 if it is broadcast.
struct MaskSteps {
    std::ptrdiff_t batch = 0;
    std::ptrdiff_t head = 0;
    std::ptrdiff_t query = 0;
    std::ptrdiff_t key = 0;
};

// An attention over plain tensors, packed or by head.
struct AttentionLoops {
    AttentionExtents extents;
    bool causal = false;
    MaskSteps mask;
};

struct AttentionForward {
    Elements q, k, v, y;
    const float* mask = nullptr;  // absent: none
    float* logarithms = nullptr;  // [batch, heads, queries]; absent: not kept
    float* scratch = nullptr;
};

struct AttentionBackward {
    Elements q, k, v, dy, dq, dk, dv;
    const float* mask = nullptr;
    const float* logarithms = nullptr;
    float* scratch = nullptr;
};

// The scratch memory of each thread, in floats.
std::size_t forward_scratch(const AttentionLoops& loops);
std::size_t backward_scratch(const AttentionLoops& loops);

// Works by blocks of queries, so that the scores never leave the L2 cache and nothing is transposed
// in memory (after Dao et al. 2022, but with each row of scores at once). For each row, the
// backward pass needs only the logarithm of its sum of exponentials; the scores are recomputed.
// Scores hidden by causality are not computed. `threads` share the batch and the heads of keys;
// `scratch` holds the scratch memory of all threads.
void attend(const AttentionLoops& loops, const AttentionForward& memory, int threads);
void attend_backward(const AttentionLoops& loops, const AttentionBackward& memory, int threads);

}  // namespace strata::cpu
