// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/format.h"
#include "op/attention_extents.h"

namespace strata::cuda {

// One pass of an attention whose scores never lie in memory (Dao et al. 2022, "FlashAttention").
// Forward: y and, for training, statistics; backward: dq, dk and dv. Operands and results lie in
// rows, their heads packed or one behind the other.
struct AttentionProblem {
    Pass pass = Pass::forward;
    AttentionExtents extents = {};
    ElementType type = ElementType::bf16;
    bool causal = false;
    Dims mask = {};       // its four extents, 1 where it is repeated; empty: there is none
    bool trains = false;  // forward: the backward pass wants the statistics
};

// Of the tensors in a plan's variant pack: first those in memory, then scalars.
enum class AttentionTensor : std::int64_t {
    query = 1,
    key,
    value,
    mask,
    y,
    statistics,  // by query the logarithm of the sum of its scores' exponentials
    dy,
    dq,
    dk,
    dv,
    dot_products,  // by query dy y
    dq_sums,       // dq in f32
    query_counts,  // by image how many there are, of type int32
    key_counts,
    scale,
    minus_infinity,
    one,
    queries,  // how many there are, of type int32
    keys,
};

// Those in memory that the pass reads and writes, in the order of its call's views: without the
// counts, which the call has itself.
std::vector<AttentionTensor> tensors_of(const AttentionProblem& problem);

// The scalars of its graph.
std::vector<AttentionTensor> scalars_of(const AttentionProblem& problem);

// Whether the graph is told how many queries and keys an image has, though it has them all: of a
// part of what it takes at once cuDNN 9.19's backward pass lets keys take part that do not exist,
// and gives no numbers where all scores are far below 0 (pytorch issue 196678, cudnn-frontend issue
// 1072).
bool counts_positions(const AttentionProblem& problem);

// Whether cuDNN may be asked, which answers rightly only within these bounds: types, widths and
// masks that it takes, and queries that each see a key.
bool may_be_fused(const AttentionProblem& problem);

// The problem as cuDNN's operation graph. Throws DeviceError where it refuses.
Descriptor attention_graph(const AttentionProblem& problem);

// "attention forward 2x8x512x64 * 2x8x512x64, bf16, causal"; all that decides a plan.
std::string text_of(const AttentionProblem& problem);

}  // namespace strata::cuda
