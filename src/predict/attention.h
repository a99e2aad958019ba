// SPDX-License-Identifier: MIT
#pragma once

#include "predict/gemm.h"
#include "predict/streaming.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace strata {

enum class AttentionMask { none, causal };
inline constexpr std::array<std::string_view, 2> names_of(AttentionMask) {
    return {"none", "causal"};
}

enum class AttentionPass { forward, backward };
inline constexpr std::array<std::string_view, 2> names_of(AttentionPass) {
    return {"forward", "backward"};
}

// softmax(Q K^T) V, of each head of each sequence: Q is queries x width, K and V keys x width.
struct AttentionProblem {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    std::int64_t width = 64;
    AttentionMask mask = AttentionMask::none;
    AttentionPass pass = AttentionPass::forward;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;

    // Of the scores that the mask leaves, in two products forward and, where they are recomputed,
    // five backward.
    Flops flops() const;
    // Q, K, V and the result, and backward their gradients, once.
    Bytes compulsory() const;
};

// Products and a softmax that write their scores to memory, or one kernel that never does (Dao et
// al., "FlashAttention: fast and memory-efficient exact attention with IO-awareness", NeurIPS
// 2022).
enum class AttentionAlgorithm { unfused, fused };
inline constexpr std::array<std::string_view, 2> names_of(AttentionAlgorithm) {
    return {"unfused", "fused"};
}

// What the parts reach.
struct AttentionRates {
    GemmRates products;
    StreamingRates softmax;
    // Of the peak, in a fused kernel: FlashAttention-2 states 50 to 73 % forward and up to 63 %
    // backward on an A100 (Dao, "FlashAttention-2", 2023).
    double fused_forward = 0.7;
    double fused_backward = 0.6;
    double exponentials = 16;  // of a processor per clock (CUDA C++ programming guide)
};

// Rates before anything is measured.
AttentionRates prior_attention_rates(const DeviceDescription& device);

// A prediction with the terms that it is made of; those of the other algorithm are zero.
struct AttentionPrediction {
    Seconds time;
    Seconds launch;        // of all kernels
    Seconds products;      // unfused: all products, without their launches
    Seconds softmax;       // unfused: without its launch
    Seconds arithmetic;    // fused
    Seconds exponentials;  // fused
    Seconds l2;            // fused: K and V, once for each tile of queries
    Seconds dram;          // fused
    Bytes dram_traffic;
};

// Unfused the time is the sum over Q K^T, the softmax and its product with V; backward over four
// products and the softmax's gradient, which reads scores and their gradients and writes gradients.
// All scores are computed, masked or not.
//
// Fused it is launch + the longest of arithmetic, exponentials, traffic to the L2 cache and
// traffic to memory. A block takes 128 queries of a head and passes all keys that the mask leaves
// it; blocks run in waves of two on each processor. K and V come from memory once where those of
// the heads in flight fit into the L2 cache, otherwise once for each wave.
//
// Throws Error where the device lacks a number.
AttentionPrediction predict_attention(const AttentionProblem& problem, AttentionAlgorithm algorithm,
                                      const DeviceDescription& device, const AttentionRates& rates);

// The algorithm with the shorter prediction.
AttentionAlgorithm planned_algorithm(const AttentionProblem& problem,
                                     const DeviceDescription& device, const AttentionRates& rates);

}  // namespace strata
