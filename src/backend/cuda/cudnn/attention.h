// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/device/format.h"
#include "op/attention.h"

namespace strata::cuda {

// One pass of an attention whose scores are never stored in memory (Dao et al. 2022,
// "FlashAttention"). Forward: y and, for training, statistics; backward: dq, dk and dv. Operands
// and results are row-major; their heads are either packed or one after the other.
struct AttentionProblem {
    Pass pass = Pass::forward;
    AttentionExtents extents = {};
    ElementType type = ElementType::bf16;
    bool causal = false;
    Dims mask = {};       // its four extents, 1 if it is broadcast; empty: no mask
    bool trains = false;  // forward: also computes the statistics for the backward pass
};

// Tensors in a plan's variant pack: first those in memory, then scalars.
enum class AttentionTensor : std::int64_t {
    query = 1,
    key,
    value,
    mask,
    y,
    statistics,  // for each query, the logarithm of the sum of exp(score)
    dy,
    dq,
    dk,
    dv,
    dot_products,  // for each query, the dot product of dy and y
    dq_sums,       // dq in f32
    query_counts,  // for each image, its number of queries, int32
    key_counts,
    scale,
    minus_infinity,
    one,
    queries,  // their number, int32
    keys,
};

// The tensors in memory that the pass reads and writes, in the order of its call's views. The
// counts are not among them: the call owns those.
std::vector<AttentionTensor> tensors_of(const AttentionProblem& problem);

// The scalars of the problem's graph.
std::vector<AttentionTensor> scalars_of(const AttentionProblem& problem);

// Whether the graph gets the number of queries and keys of each image although all images have all
// of them. cuDNN 9.19's backward pass needs it if the last block of keys is incomplete: otherwise
// keys that do not exist take part, and the result is NaN if all scores are far below 0 (pytorch
// issue 196678, cudnn-frontend issue 1072).
bool counts_positions(const AttentionProblem& problem);

// cuDNN has engines for fused attention from sm_80 on.
inline constexpr int first_capability_with_fusion = 80;

// Whether cuDNN may be used. Its results are right only within these bounds: types, widths and
// masks that it supports, and queries that each see a key.
bool may_be_fused(const AttentionProblem& problem);

// Why cuDNN of this version (as returned by cudnnGetVersion()) is not used for fused attention;
// empty if it is. cudnn-frontend refuses 9.10.0 and 9.10.1, whose results are wrong; older versions
// need other graphs, with a second padding mask and another minus infinity.
std::string refusal_of_fusion(std::size_t cudnn_version);

// The problem as cuDNN's operation graph, with the operations in the order that cuDNN expects from
// 9.10 on: the padding mask comes before the statistics are subtracted. Throws DeviceError if cuDNN
// refuses it.
Descriptor attention_graph(const AttentionProblem& problem, const PlanTarget& target);

// "attention forward 2x8x512x64 * 2x8x512x64, bf16, causal"; everything that determines a plan.
std::string text_of(const AttentionProblem& problem);

}  // namespace strata::cuda
