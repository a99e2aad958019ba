// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/attention_loops.h"
#include "backend/cpu/kernels/small_gemm.h"

namespace strata::cpu {

// The working set of one thread of an attention: sizes of its pieces, in floats, padded so that
// products have no remainder.
struct AttentionBlocks {
    static constexpr std::size_t max_queries = 96;

    explicit AttentionBlocks(const AttentionLoops& loops);

    std::size_t queries = 0;  // rows of one block
    std::size_t keys = 0;     // all of them
    std::size_t width = 0;    // of a query and a key
    std::size_t value_width = 0;
    std::size_t padded_width = 0;
    std::size_t padded_value_width = 0;
    std::size_t score_row = 0;  // from one row of scores to the next
};

// One head's vectors in memory.
struct HeadVectors {
    Elements elements;
    std::size_t first = 0;  // element
    std::size_t step = 0;   // from one position to the next
    std::size_t width = 0;
};

// Loads rows [from, from + count) as floats, each padded with zeros to `padded`, and stores them
// back.
void load_rows(const HeadVectors& head, std::size_t from, std::size_t count, std::size_t padded,
               float* rows);
void store_rows(const float* rows, std::size_t padded, const HeadVectors& head, std::size_t from,
                std::size_t count);

// One row of scores: the product before scale and mask. Only the first `visible` elements count.
struct ScoreRow {
    float* values = nullptr;
    std::size_t visible = 0;
    std::size_t computed = 0;  // visible ones, and others that a product of whole tiles covers
    float scale = 1;
    const float* mask = nullptr;
    std::ptrdiff_t mask_step = 0;
};

// The factors that turn exponentials into probabilities.
struct RowSum {
    float logarithm = 0;  // of the sum of exp(score); infinite if the query sees nothing
    float inverse = 0;    // 1 / sum of exp(score - greatest)
};

// The row becomes exp(score - greatest), 0 for hidden elements.
RowSum exponentiate(const ScoreRow& row);
// The row becomes exp(score - logarithm), the probabilities.
void probabilities(const ScoreRow& row, float logarithm);
// ds = p (dp - sum of p dp) scale, overwriting dp.
void score_gradients(const float* p, float* dp, std::size_t count, float scale);
void scale_row(float* row, std::size_t count, float factor);

}  // namespace strata::cpu
