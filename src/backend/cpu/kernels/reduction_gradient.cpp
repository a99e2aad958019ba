// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/reduction_loops.h"
#include "backend/cpu/kernels/vector_library.h"

#include <vector>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index min_parallel_work = 1 << 14;

// One row of terms: all of one result if the row is reduced, otherwise one term for each of as many
// results.
struct GradientRow {
    const float* x = nullptr;
    float* dx = nullptr;
    Index first = 0;  // result
    Index count = 1;
};

// dx = dy d(statistic)/dx, with terms x and results y. Of several equal extremes the first gets the
// whole gradient; `reduce_gradient` ensures that.
STRATA_EACH_ISA void row_gradient(ReductionKind kind, const ReductionPlan& plan,
                                  const GradientRow& row, const float* y, const float* dy) {
    const float* const results = y + row.first;
    const float* const slopes = dy + row.first;
    const auto with = [&](auto slope) __attribute__((always_inline)) {
        if (plan.row_is_reduced) {
            const float result = *results, of_result = *slopes;
#pragma GCC ivdep
            for (Index i = 0; i < row.count; ++i) {
                row.dx[i] = of_result * slope(row.x[i], result);
            }
        } else {
#pragma GCC ivdep
            for (Index i = 0; i < row.count; ++i) {
                row.dx[i] = slopes[i] * slope(row.x[i], results[i]);
            }
        }
    };
    switch (kind) {
        case ReductionKind::sum:
            return with([](float, float) { return 1.0F; });
        case ReductionKind::mean:
            return with(
                [share = 1 / static_cast<float>(plan.terms())](float, float) { return share; });
        case ReductionKind::maximum:
        case ReductionKind::minimum:
            return with([](float x, float result) { return x == result ? 1.0F : 0.0F; });
        case ReductionKind::product:
            return with([](float x, float result) { return result / x; });
        case ReductionKind::sum_of_squares:
            return with([](float x, float) { return 2 * x; });
        case ReductionKind::l1:
            return with([](float x, float) { return x > 0 ? 1.0F : x < 0 ? -1.0F : 0.0F; });
        case ReductionKind::l2:
            return with([](float x, float result) { return result == 0 ? 0 : x / result; });
        case ReductionKind::log_sum:
            return with([](float, float result) { return ::expf(-result); });
        case ReductionKind::log_sum_exp:
            return with([](float x, float result) { return ::expf(x - result); });
    }
}

// Keeps the gradient of the first extreme of each result and clears it for the others.
void keep_first(const ReductionPlan& plan, const GradientRow& row, const float* y,
                std::vector<bool>& seen, Index base) {
    const Index step = plan.row_is_reduced ? 0 : 1;
    for (Index i = 0; i < row.count; ++i) {
        const Index result = row.first + i * step;
        if (row.x[i] == y[result]) {
            const auto place = static_cast<std::size_t>(result - base);
            row.dx[i] = seen[place] ? 0 : row.dx[i];
            seen[place] = true;
        }
    }
}

// A product's slope is the product of all other terms, computed without division because terms may
// be zero.
void product_gradient(const ReductionPlan& plan, const float* x, const float* dy, float* dx) {
    const Index rows = count_of(plan.reduced_axes), length = plan.row_is_reduced ? plan.row : 1;
    const Index results = plan.row_is_reduced ? 1 : plan.row;
    const Index kept = count_of(plan.kept_axes);
#pragma omp parallel for if (plan.results() * plan.terms() > min_parallel_work)
    for (Index result = 0; result < kept * results; ++result) {
        const Index offset = offset_of(plan.kept_axes, result / results) + result % results;
        double before = 1, after = dy[result];
        for (Index row = 0; row < rows; ++row) {
            const Index at = offset + offset_of(plan.reduced_axes, row);
            for (Index term = at; term < at + length; ++term) {
                dx[term] = static_cast<float>(before);
                before *= x[term];
            }
        }
        for (Index row = rows; row-- > 0;) {
            const Index at = offset + offset_of(plan.reduced_axes, row);
            for (Index term = at + length; term-- > at;) {
                dx[term] = static_cast<float>(dx[term] * after);
                after *= x[term];
            }
        }
    }
}

}  // namespace

void reduce_gradient(ReductionKind kind, const ReductionPlan& plan, const float* x, const float* y,
                     const float* dy, float* dx) {
    if (kind == ReductionKind::product) {
        return product_gradient(plan, x, dy, dx);
    }
    const ReductionBlocks blocks(plan);
    const bool extreme = kind == ReductionKind::maximum || kind == ReductionKind::minimum;
    const Index rows = count_of(plan.reduced_axes);
#pragma omp parallel for collapse(2) if (!extreme && \
                                         plan.results() * plan.terms() > min_parallel_work)
    for (Index number = 0; number < blocks.count; ++number) {
        for (Index row = 0; row < rows; ++row) {
            const ReductionBlock block = blocks[number];
            const Index at = block.offset + offset_of(plan.reduced_axes, row);
            row_gradient(
                kind, plan,
                {x + at, dx + at, block.first, plan.row_is_reduced ? plan.row : block.count}, y,
                dy);
        }
    }
    if (!extreme) {
        return;
    }
#pragma omp parallel for if (plan.results() * plan.terms() > min_parallel_work)
    for (Index number = 0; number < blocks.count; ++number) {
        const ReductionBlock block = blocks[number];
        std::vector<bool> seen(static_cast<std::size_t>(block.count));
        for (Index row = 0; row < rows; ++row) {
            const Index at = block.offset + offset_of(plan.reduced_axes, row);
            keep_first(plan,
                       {x + at, dx + at, block.first, plan.row_is_reduced ? plan.row : block.count},
                       y, seen, block.first);
        }
    }
}

}  // namespace strata::cpu
