// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/attention.h"

#include <fmt/format.h>

namespace strata::cuda {

using enum AttentionTensor;

namespace {

constexpr std::size_t first_version = 91002;

// The block of keys that sm_90's backward pass processes at once.
constexpr std::int64_t keys_at_once = 128;

// The alignment of its accesses, in 16-bit elements.
constexpr std::int64_t aligned_elements = 8;

// Query s sees keys up to s + keys - queries.
bool is_shifted(const AttentionProblem& problem) {
    return problem.causal && problem.extents.queries != problem.extents.keys;
}

// If all queries share one row of the mask, the backward pass of cuDNN 9.19 computes wrong
// gradients of the queries.
bool takes_mask(const AttentionProblem& problem) {
    const AttentionExtents& e = problem.extents;
    if (problem.mask.empty()) {
        return true;
    }
    const bool has_rows = !problem.trains || problem.mask[2] == e.queries;
    return !is_shifted(problem) && has_rows && problem.mask.back() == e.keys &&
           e.keys % aligned_elements == 0;
}

Dims shape_of(const AttentionExtents& e, std::int64_t positions, std::int64_t heads,
              std::int64_t width) {
    return {e.batch, heads, positions, width};
}

}  // namespace

bool counts_positions(const AttentionProblem& problem) {
    const AttentionExtents& e = problem.extents;
    return problem.pass != Pass::forward && (e.keys % keys_at_once != 0 || e.queries == 1);
}

bool may_be_fused(const AttentionProblem& problem) {
    const AttentionExtents& e = problem.extents;
    const bool sees = !problem.causal || e.queries <= e.keys;
    const bool aligned = e.width % aligned_elements == 0 && e.value_width % aligned_elements == 0;
    const bool alone = problem.trains && e.queries == 1 && e.keys == 1;
    return problem.type != ElementType::f32 && sees && aligned && !alone && takes_mask(problem);
}

std::string refusal_of_fusion(std::size_t cudnn_version) {
    if (cudnn_version >= first_version) {
        return {};
    }
    return fmt::format("cuDNN {}.{}.{} is older than 9.10.2", cudnn_version / 10000,
                       cudnn_version / 100 % 100, cudnn_version % 100);
}

std::vector<AttentionTensor> tensors_of(const AttentionProblem& problem) {
    std::vector<AttentionTensor> tensors = {query, key, value, y};
    if (!problem.mask.empty()) {
        tensors.push_back(mask);
    }
    if (problem.pass != Pass::forward) {
        tensors.insert(tensors.end(), {statistics, dy, dq, dk, dv, dot_products, dq_sums});
    } else if (problem.trains) {
        tensors.push_back(statistics);
    }
    return tensors;
}

std::vector<AttentionTensor> scalars_of(const AttentionProblem& problem) {
    std::vector<AttentionTensor> scalars = {scale};
    if (problem.pass != Pass::forward) {
        scalars.push_back(one);
    }
    if (problem.causal || counts_positions(problem)) {
        scalars.push_back(minus_infinity);
    }
    if (is_shifted(problem) && !counts_positions(problem)) {
        scalars.insert(scalars.end(), {queries, keys});
    }
    return scalars;
}

std::string text_of(const AttentionProblem& problem) {
    const AttentionExtents& e = problem.extents;
    std::string text = fmt::format("attention {} {} * {} * {}, {}, {}", name_of(problem.pass),
                                   to_text(shape_of(e, e.queries, e.heads, e.width)),
                                   to_text(shape_of(e, e.keys, e.kv_heads, e.width)),
                                   to_text(shape_of(e, e.keys, e.kv_heads, e.value_width)),
                                   names_of(problem.type)[static_cast<std::size_t>(problem.type)],
                                   e.packed ? "heads packed" : "by head");
    text += problem.causal ? ", causal" : "";
    text += problem.mask.empty() ? "" : ", mask " + to_text(problem.mask);
    text += problem.trains && problem.pass == Pass::forward ? ", with statistics" : "";
    return text;
}

}  // namespace strata::cuda
