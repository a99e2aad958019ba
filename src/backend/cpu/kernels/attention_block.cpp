// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/attention_block.h"

#include "backend/cpu/kernels/fast_exp.h"
#include "backend/cpu/kernels/isa.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata::cpu {

namespace {

constexpr float nothing = -std::numeric_limits<float>::infinity();

STRATA_EACH_ISA float scale_and_find_greatest(float* x, std::size_t count, float scale) {
    float greatest = nothing;
#pragma omp simd reduction(max : greatest)
    for (std::size_t i = 0; i < count; ++i) {
        x[i] *= scale;
        greatest = greater_of(greatest, x[i]);
    }
    return greatest;
}

STRATA_EACH_ISA float mask_and_find_greatest(float* x, const float* mask, std::size_t count,
                                             float scale) {
    float greatest = nothing;
#pragma omp simd reduction(max : greatest)
    for (std::size_t i = 0; i < count; ++i) {
        x[i] = x[i] * scale + mask[i];
        greatest = greater_of(greatest, x[i]);
    }
    return greatest;
}

// With one mask value for the whole row.
float shift_and_find_greatest(float* x, float shift, std::size_t count, float scale) {
    float greatest = nothing;
    for (std::size_t i = 0; i < count; ++i) {
        x[i] = x[i] * scale + shift;
        greatest = greater_of(greatest, x[i]);
    }
    return greatest;
}

STRATA_EACH_ISA float exponentials(float* x, std::size_t count, float greatest) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) {
        x[i] = fast_exp(x[i] - greatest);
        sum += x[i];
    }
    return sum;
}

STRATA_EACH_ISA float product_sum(const float* a, const float* b, std::size_t count) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

STRATA_EACH_ISA void weigh(const float* p, float* dp, std::size_t count, float mean, float scale) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < count; ++i) {
        dp[i] = p[i] * (dp[i] - mean) * scale;
    }
}

STRATA_EACH_ISA void multiply_row(float* x, std::size_t count, float factor) {
    for (std::size_t i = 0; i < count; ++i) {
        x[i] *= factor;
    }
}

// Applies scale and mask to scores; returns the maximum.
float finish_scores(const ScoreRow& row) {
    if (row.mask == nullptr) {
        return scale_and_find_greatest(row.values, row.visible, row.scale);
    }
    return row.mask_step == 0
               ? shift_and_find_greatest(row.values, *row.mask, row.visible, row.scale)
               : mask_and_find_greatest(row.values, row.mask, row.visible, row.scale);
}

void hide_from(const ScoreRow& row, std::size_t first) {
    std::fill(row.values + first, row.values + row.computed, 0.0F);
}

// Memory for one block of scores and one of their gradients, which should stay in the L2 cache
// together with a head's keys.
constexpr std::size_t score_floats = std::size_t{1} << 16;
constexpr std::size_t min_queries = 12;

}  // namespace

AttentionBlocks::AttentionBlocks(const AttentionLoops& loops) {
    const AttentionExtents& e = loops.extents;
    keys = static_cast<std::size_t>(e.keys);
    width = static_cast<std::size_t>(e.width);
    value_width = static_cast<std::size_t>(e.value_width);
    padded_width = round_up(width, 16);
    padded_value_width = round_up(value_width, 16);
    score_row = round_up(keys, 16) + 16;  // not a power of two, to avoid cache set conflicts
    const std::size_t fitting = std::clamp(score_floats / keys / 12 * 12, min_queries, max_queries);
    queries = std::min(static_cast<std::size_t>(e.queries), fitting);
}

void load_rows(const HeadVectors& head, std::size_t from, std::size_t count, std::size_t padded,
               float* rows) {
    for (std::size_t i = 0; i < count; ++i) {
        float* row = rows + i * padded;
        load(head.elements, head.first + (from + i) * head.step, head.width, row);
        std::fill(row + head.width, row + padded, 0.0F);
    }
}

void store_rows(const float* rows, std::size_t padded, const HeadVectors& head, std::size_t from,
                std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        store(rows + i * padded, head.width, head.elements, head.first + (from + i) * head.step);
    }
}

RowSum exponentiate(const ScoreRow& row) {
    const float greatest = row.visible == 0 ? nothing : finish_scores(row);
    if (greatest == nothing) {  // the query sees nothing, and its result is 0
        hide_from(row, 0);
        return {std::numeric_limits<float>::infinity(), 0};
    }
    const float sum = exponentials(row.values, row.visible, greatest);
    hide_from(row, row.visible);
    return {greatest + std::log(sum), 1 / sum};
}

void probabilities(const ScoreRow& row, float logarithm) {
    if (row.visible == 0 || logarithm == std::numeric_limits<float>::infinity()) {
        return hide_from(row, 0);
    }
    finish_scores(row);
    exponentials(row.values, row.visible, logarithm);
    hide_from(row, row.visible);
}

void score_gradients(const float* p, float* dp, std::size_t count, float scale) {
    weigh(p, dp, count, product_sum(p, dp, count), scale);
}

void scale_row(float* row, std::size_t count, float factor) {
    multiply_row(row, count, factor);
}

}  // namespace strata::cpu
