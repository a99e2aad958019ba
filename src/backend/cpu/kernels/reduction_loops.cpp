// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_loops.h"

#include "backend/cpu/kernels/reduction_statistics.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata::cpu {

namespace {

using Index = std::int64_t;
using Block = ReductionBlock;

constexpr Index min_parallel_work = 1 << 14;

// The part [begin, end) of the terms' rows, or of a row's elements if there is only one row.
struct Part {
    Index begin = 0;
    Index end = 0;
};

// Accumulates a part of a block's terms into y.
void gather(const StatisticLoops& loops, const ReductionPlan& plan, const Block& block,
            const Part& part, const float* x, const float* shift, float* y) {
    std::fill_n(y, block.count, loops.start);
    if (count_of(plan.reduced_axes) == 1 && plan.row_is_reduced) {
        *y = loops.along(x + block.offset + part.begin, part.end - part.begin,
                         shift == nullptr ? 0 : *shift);
        return;
    }
    for (Index row = part.begin; row < part.end; ++row) {
        const float* terms = x + block.offset + offset_of(plan.reduced_axes, row);
        if (plan.row_is_reduced) {
            *y = loops.join(*y, loops.along(terms, plan.row, shift == nullptr ? 0 : *shift));
        } else {
            loops.across(terms, block.count, shift, y);
        }
    }
}

// The number of parts into which a block's terms can be divided among threads.
Index parts_of(const ReductionPlan& plan) {
    const Index rows = count_of(plan.reduced_axes);
    return rows == 1 && plan.row_is_reduced ? plan.row : rows;
}

const float* shift_at(const float* shift, const Block& block) {
    return shift == nullptr ? nullptr : shift + block.first;
}

void gather_by_results(const StatisticLoops& loops, const ReductionPlan& plan, const float* x,
                       const float* shift, float* y) {
    const ReductionBlocks blocks(plan);
    const Index all = parts_of(plan);
#pragma omp parallel for if (plan.results() * plan.terms() > min_parallel_work)
    for (Index number = 0; number < blocks.count; ++number) {
        const Block block = blocks[number];
        gather(loops, plan, block, {0, all}, x, shift_at(shift, block), y + block.first);
    }
}

// For few results with many terms: each thread accumulates a part of every result, then the parts
// are combined.
void gather_by_terms(const StatisticLoops& loops, const ReductionPlan& plan, const float* x,
                     const float* shift, float* y) {
    const ReductionBlocks blocks(plan);
    const Index all = parts_of(plan), results = plan.results();
    const auto threads = static_cast<Index>(omp_get_max_threads());
    std::vector<float> partial(static_cast<std::size_t>(threads * results), loops.start);
#pragma omp parallel for num_threads(static_cast <int>(threads))
    for (Index thread = 0; thread < threads; ++thread) {
        float* const own = partial.data() + thread * results;
        const Part part = {all * thread / threads, all * (thread + 1) / threads};
        for (Index number = 0; number < blocks.count; ++number) {
            const Block block = blocks[number];
            gather(loops, plan, block, part, x, shift_at(shift, block), own + block.first);
        }
    }
    for (Index i = 0; i < results; ++i) {
        y[i] = partial[static_cast<std::size_t>(i)];
        for (Index thread = 1; thread < threads; ++thread) {
            y[i] = loops.join(y[i], partial[static_cast<std::size_t>(thread * results + i)]);
        }
    }
}

void gather_all(const StatisticLoops& loops, const ReductionPlan& plan, const float* x,
                const float* shift, float* y) {
    const bool few = ReductionBlocks(plan).count < omp_get_max_threads() &&
                     plan.terms() > min_parallel_work / std::max<Index>(plan.results(), 1);
    few&& omp_get_max_threads() > 1 ? gather_by_terms(loops, plan, x, shift, y)
                                    : gather_by_results(loops, plan, x, shift, y);
}

bool needs_end(ReductionKind kind) {
    return kind == ReductionKind::mean || kind == ReductionKind::l2 ||
           kind == ReductionKind::log_sum;
}

// The statistic, from the accumulated value.
float finished(ReductionKind kind, float gathered, float terms) {
    switch (kind) {
        case ReductionKind::mean:
            return gathered / terms;
        case ReductionKind::l2:
            return std::sqrt(gathered);
        case ReductionKind::log_sum:
            return std::log(gathered);
        default:
            return gathered;
    }
}

// log(sum of exp x) = m + log(sum of exp(x - m)) with the maximum m, which y holds at first. An
// infinite m is not subtracted, because the difference would be NaN.
void log_sum_exp(const ReductionPlan& plan, const float* x, float* y) {
    const auto results = static_cast<std::size_t>(plan.results());
    std::vector<float> greatest(y, y + results);
    for (float& maximum : greatest) {
        maximum = std::isfinite(maximum) ? maximum : 0.0F;
    }
    gather_all(exponential_loops(), plan, x, greatest.data(), y);
    for (std::size_t i = 0; i < results; ++i) {
        y[i] = greatest[i] + std::log(y[i]);
    }
}

}  // namespace

void reduce(ReductionKind kind, const ReductionPlan& plan, const float* x, float* y) {
    gather_all(loops_of(kind), plan, x, nullptr, y);
    if (kind == ReductionKind::log_sum_exp) {
        return log_sum_exp(plan, x, y);
    }
    if (needs_end(kind)) {
        const auto terms = static_cast<float>(plan.terms());
#pragma omp parallel for if (plan.results() > min_parallel_work)
        for (Index i = 0; i < plan.results(); ++i) {
            y[i] = finished(kind, y[i], terms);
        }
    }
}

}  // namespace strata::cpu
