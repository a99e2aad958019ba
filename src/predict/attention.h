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

enum class AttentionPass { forward, backward, both };
inline constexpr std::array<std::string_view, 3> names_of(AttentionPass) {
    return {"forward", "backward", "forward+backward"};
}

// Kernels differ by purpose: many queries with a causal mask, or without one; the single query of a
// growing sequence, whose keys are divided among processors; gradients.
enum class AttentionPhase { prefill, encoder, decode, backward };
inline constexpr std::size_t attention_phases = 4;
inline constexpr std::array<std::string_view, attention_phases> names_of(AttentionPhase) {
    return {"prefill", "encoder", "decode", "backward"};
}

// softmax(Q K^T) V for each head of each sequence: Q is queries x width, K and V keys x width.
struct AttentionProblem {
    std::int64_t batch = 1;
    std::int64_t heads = 1;
    std::int64_t kv_heads = 0;  // of K and V, shared by groups of heads; 0: as many as heads
    std::int64_t queries = 1;
    std::int64_t keys = 1;
    std::int64_t width = 64;
    std::int64_t window = 0;  // a query sees at most this many last keys; 0: no limit
    AttentionMask mask = AttentionMask::none;
    AttentionPass pass = AttentionPass::forward;
    Arithmetic arithmetic = Arithmetic::f32;
    double element_bytes = 4;
    double cache_bytes = 0;  // of an element of K and V; 0: element_bytes

    // For the unmasked scores: two products forward, and five backward, which recomputes them.
    Flops flops() const;
    // Q, K, V and the result, and backward also their gradients, once. (Only the part of K and V
    // inside the window.)
    Bytes compulsory() const;
    // Backward if the problem has both passes.
    AttentionPhase phase() const;
};

// Products and a softmax that write their scores to memory, or one kernel that never does (Dao et
// al., "FlashAttention: fast and memory-efficient exact attention with IO-awareness", NeurIPS
// 2022).
enum class AttentionAlgorithm { unfused, fused };
inline constexpr std::array<std::string_view, 2> names_of(AttentionAlgorithm) {
    return {"unfused", "fused"};
}

// What a fused kernel reaches, mostly relative to the device's description, so that a similar
// device reaches the same. Each is positive; a fit moves those of the first group.
struct FusedRates {
    Seconds launch{8e-6};
    // Of the peak, without the exponentials: FlashAttention-2 states 50 to 73 % forward and up to
    // 63 % backward on an A100 (Dao, "FlashAttention-2", 2023).
    double efficiency = 0.7;
    double wide = 0.9;         // factor for heads wider than 128
    double wider = 0.5;        // factor for heads wider than 256
    double exponentials = 16;  // per clock and processor (CUDA C++ programming guide)
    double tail = 0.4;         // share of the longest block that is added to the average
    Seconds block{2.5e-6};     // to start a block and to write its result
    Seconds step{0.1e-6};      // latency of 64 keys
    double l2 = 60;            // bytes of K and V per clock and processor
    double dram_efficiency = 0.8;
    double cached = 0.5;      // of memory's time, if all operands stay in the L2 cache
    double resident = 0.8;    // share of the L2 cache in which they stay
    Seconds split{1.5e-6};    // to add the parts of divided keys
    double split_keys = 128;  // the smallest part
    Seconds sequence{1e-9};   // for each sequence
    double appended = 0.02;   // clocks of a processor per element of Q

    // Limits, for which a fit tries values: heads with shared keys in one block, queries of each of
    // them, and parts of keys that are not shared.
    double packed_heads = 1024;
    double packed_queries = 1;
    double ungrouped_parts = 1024;
};

// Rates of the parts of an attention.
struct AttentionRates {
    GemmRates products;
    StreamingRates softmax;
    std::array<FusedRates, attention_phases> fused = {};

    const FusedRates& fused_in(AttentionPhase phase) const {
        return fused[static_cast<std::size_t>(phase)];
    }
};

// The usual rates of a phase.
FusedRates prior_fused_rates(AttentionPhase phase);

// A prediction and its terms; the terms of the other algorithm are zero.
struct AttentionPrediction {
    Seconds time;
    Seconds launch;        // of all kernels
    Seconds products;      // unfused: all products, without their launches
    Seconds softmax;       // unfused: without its launch
    Seconds arithmetic;    // fused
    Seconds exponentials;  // fused
    Seconds latency;       // fused: start of blocks, steps, and adding parts
    Seconds l2;            // fused: K and V, once for each tile of queries
    Seconds dram;          // fused
    Bytes dram_traffic;

    AttentionPrediction& operator+=(const AttentionPrediction& other);
};

// One kernel that works in blocks. Its time is
//
//     launch + sequence batch + appended elements + split + ((blocks^4 + dram^4)^(1/4))
//     blocks = the longest block, or all of them over the processors and `tail` of the longest
//
// A block has up to 128 queries of a head, or of a group of heads with shared keys, and passes the
// keys inside mask and window. Its time is `block`, `step` for each 64 keys, and the longer of its
// arithmetic (with exponentials) and reading K and V from the L2 cache. A single query's keys are
// divided among processors without a block. Backward, blocks have 128 keys and pass the queries,
// with five products instead of two. Nothing is faster than the device's peak, or than its memory
// for data that no cache holds.
AttentionPrediction predict_fused(const AttentionProblem& problem, const DeviceDescription& device,
                                  const FusedRates& rates);

// Rates before any measurement.
AttentionRates prior_attention_rates(const DeviceDescription& device);

// Unfused, the time is the sum of Q K^T, the softmax and its product with V; backward, of four
// products and the softmax's gradient, which reads scores and their gradients and writes gradients.
// All scores are computed, masked or not.
//
// Fused, it is predict_fused(); for both passes, the sum of two.
//
// Throws Error if the device lacks a number.
AttentionPrediction predict_attention(const AttentionProblem& problem, AttentionAlgorithm algorithm,
                                      const DeviceDescription& device, const AttentionRates& rates);

// The algorithm with the shorter prediction.
AttentionAlgorithm planned_algorithm(const AttentionProblem& problem,
                                     const DeviceDescription& device, const AttentionRates& rates);

}  // namespace strata
