// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_loops.h"

#include <cmath>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index min_parallel_work = 1 << 14;

// d(statistic)/dx for a term x and the result y. Of several equal extremes the first gets the whole
// gradient; `reduce_gradient` ensures that.
float slope(ReductionKind kind, float x, float y, float terms) {
    switch (kind) {
        case ReductionKind::sum:
            return 1;
        case ReductionKind::mean:
            return 1 / terms;
        case ReductionKind::maximum:
        case ReductionKind::minimum:
            return x == y ? 1.0F : 0.0F;
        case ReductionKind::product:
            return y / x;
        case ReductionKind::sum_of_squares:
            return 2 * x;
        case ReductionKind::l1:
            return x > 0 ? 1.0F : x < 0 ? -1.0F : 0.0F;
        case ReductionKind::l2:
            return y == 0 ? 0 : x / y;
        case ReductionKind::log_sum:
            return std::exp(-y);
        case ReductionKind::log_sum_exp:
            return std::exp(x - y);
    }
    return 0;
}

// One row of terms: all of one result if the row is reduced, otherwise one term for each of as many
// results.
struct GradientRow {
    const float* x = nullptr;
    float* dx = nullptr;
    Index first = 0;  // result
    Index count = 1;
};

void row_gradient(ReductionKind kind, const ReductionPlan& plan, const GradientRow& row,
                  const float* y, const float* dy) {
    const auto terms = static_cast<float>(plan.terms());
    const Index step = plan.row_is_reduced ? 0 : 1;
    const bool linear = kind == ReductionKind::sum || kind == ReductionKind::mean;
    const float factor = linear ? slope(kind, 0, 0, terms) : 0;
    for (Index i = 0; i < row.count; ++i) {
        const Index result = row.first + i * step;
        row.dx[i] = dy[result] * (linear ? factor : slope(kind, row.x[i], y[result], terms));
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

// The slope of a product without a division: the product of all other terms, which may be zero.
void product_gradient(const ReductionPlan& plan, const float* x, const float* dy, float* dx) {
    const ReductionBlocks blocks(plan);
    const Index rows = count_of(plan.reduced_axes), length = plan.row_is_reduced ? plan.row : 1;
    const Index results = plan.row_is_reduced ? 1 : plan.row;
    const Index kept = count_of(plan.kept_axes);
#pragma omp parallel for if (plan.results() * plan.terms() > min_parallel_work)
    for (Index result = 0; result < kept * results; ++result) {
        const Index offset = offset_of(plan.kept_axes, result / results) + result % results;
        const auto place = [&](Index term) {
            return offset + offset_of(plan.reduced_axes, term / length) + term % length;
        };
        double before = 1;
        for (Index term = 0; term < rows * length; ++term) {
            dx[place(term)] = static_cast<float>(before);
            before *= x[place(term)];
        }
        double after = dy[result];
        for (Index term = rows * length; term-- > 0;) {
            dx[place(term)] = static_cast<float>(dx[place(term)] * after);
            after *= x[place(term)];
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
