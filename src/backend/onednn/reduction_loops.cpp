// SPDX-License-Identifier: MIT
#include "backend/onednn/reduction_loops.h"

#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

// One version of a loop for each instruction set, chosen when the program starts.
#define STRATA_EACH_ISA __attribute__((target_clones("avx512f", "avx2", "default")))

namespace strata::onednn {

namespace {

using Index = std::int64_t;
using Block = ReductionBlock;

constexpr Index worth_threads = 1 << 14;

// How a statistic is gathered: where it starts, what a term adds (`shift` is subtracted before an
// exponential), and how two parts of it become one.
struct Sum {
    static constexpr float start = 0;
    static float add(float sum, float x, float) { return sum + x; }
    static float join(float a, float b) { return a + b; }
};
struct SumOfSquares : Sum {
    static float add(float sum, float x, float) { return sum + x * x; }
};
struct SumOfMagnitudes : Sum {
    static float add(float sum, float x, float) { return sum + std::abs(x); }
};
struct SumOfExponentials : Sum {
    static float add(float sum, float x, float shift) { return sum + std::exp(x - shift); }
};
struct Product {
    static constexpr float start = 1;
    static float add(float product, float x, float) { return product * x; }
    static float join(float a, float b) { return a * b; }
};
struct Maximum {
    static constexpr float start = -std::numeric_limits<float>::infinity();
    static float add(float most, float x, float) { return x > most ? x : most; }
    static float join(float a, float b) { return b > a ? b : a; }
};
struct Minimum {
    static constexpr float start = std::numeric_limits<float>::infinity();
    static float add(float least, float x, float) { return x < least ? x : least; }
    static float join(float a, float b) { return b < a ? b : a; }
};

// A row to one value, by lanes that the compiler keeps in wide registers.
template <class Statistic>
[[gnu::always_inline]] inline float along(const float* x, Index count, float shift) {
    constexpr Index lanes = 64;
    std::array<float, lanes> parts;
    parts.fill(Statistic::start);
    Index i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (Index lane = 0; lane < lanes; ++lane) {
            float& part = parts[static_cast<std::size_t>(lane)];
            part = Statistic::add(part, x[i + lane], shift);
        }
    }
    float result = Statistic::start;
    for (; i < count; ++i) {
        result = Statistic::add(result, x[i], shift);
    }
    for (const float part : parts) {
        result = Statistic::join(result, part);
    }
    return result;
}

// A row added to as many results; `shift` by result, or nothing.
template <class Statistic>
[[gnu::always_inline]] inline void across(const float* x, Index count, const float* shift,
                                          float* results) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
        results[i] = Statistic::add(results[i], x[i], shift == nullptr ? 0.0F : shift[i]);
    }
}

// The loops of one statistic, in the instruction set of this machine.
struct Loops {
    float start = 0;
    float (*along)(const float*, Index, float) = nullptr;
    void (*across)(const float*, Index, const float*, float*) = nullptr;
    float (*join)(float, float) = nullptr;
};

STRATA_EACH_ISA float sum_along(const float* x, Index n, float s) {
    return along<Sum>(x, n, s);
}
STRATA_EACH_ISA void sum_across(const float* x, Index n, const float* s, float* y) {
    across<Sum>(x, n, s, y);
}
STRATA_EACH_ISA float squares_along(const float* x, Index n, float s) {
    return along<SumOfSquares>(x, n, s);
}
STRATA_EACH_ISA void squares_across(const float* x, Index n, const float* s, float* y) {
    across<SumOfSquares>(x, n, s, y);
}
STRATA_EACH_ISA float magnitudes_along(const float* x, Index n, float s) {
    return along<SumOfMagnitudes>(x, n, s);
}
STRATA_EACH_ISA void magnitudes_across(const float* x, Index n, const float* s, float* y) {
    across<SumOfMagnitudes>(x, n, s, y);
}
STRATA_EACH_ISA float product_along(const float* x, Index n, float s) {
    return along<Product>(x, n, s);
}
STRATA_EACH_ISA void product_across(const float* x, Index n, const float* s, float* y) {
    across<Product>(x, n, s, y);
}
STRATA_EACH_ISA float maximum_along(const float* x, Index n, float s) {
    return along<Maximum>(x, n, s);
}
STRATA_EACH_ISA void maximum_across(const float* x, Index n, const float* s, float* y) {
    across<Maximum>(x, n, s, y);
}
STRATA_EACH_ISA float minimum_along(const float* x, Index n, float s) {
    return along<Minimum>(x, n, s);
}
STRATA_EACH_ISA void minimum_across(const float* x, Index n, const float* s, float* y) {
    across<Minimum>(x, n, s, y);
}

template <class Statistic>
Loops loops_of(float (*along)(const float*, Index, float),
               void (*across)(const float*, Index, const float*, float*)) {
    return {Statistic::start, along, across, Statistic::join};
}

// What is gathered from the terms themselves; of log_sum_exp first their maximum.
Loops loops_of(ReductionKind kind) {
    switch (kind) {
        case ReductionKind::sum:
        case ReductionKind::mean:
        case ReductionKind::log_sum:
            return loops_of<Sum>(sum_along, sum_across);
        case ReductionKind::maximum:
        case ReductionKind::log_sum_exp:
            return loops_of<Maximum>(maximum_along, maximum_across);
        case ReductionKind::minimum:
            return loops_of<Minimum>(minimum_along, minimum_across);
        case ReductionKind::product:
            return loops_of<Product>(product_along, product_across);
        case ReductionKind::sum_of_squares:
        case ReductionKind::l2:
            return loops_of<SumOfSquares>(squares_along, squares_across);
        case ReductionKind::l1:
            return loops_of<SumOfMagnitudes>(magnitudes_along, magnitudes_across);
    }
    return {};
}

Loops exponential_loops() {
    return loops_of<SumOfExponentials>(along<SumOfExponentials>, across<SumOfExponentials>);
}

// The part [begin, end) of the terms' rows, or of a row's elements where there is one row only.
struct Part {
    Index begin = 0;
    Index end = 0;
};

// Gathers a part of a block's terms into y.
void gather(const Loops& loops, const ReductionPlan& plan, const Block& block, const Part& part,
            const float* x, const float* shift, float* y) {
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

// What a block's terms are cut by among threads.
Index parts_of(const ReductionPlan& plan) {
    const Index rows = count_of(plan.reduced_axes);
    return rows == 1 && plan.row_is_reduced ? plan.row : rows;
}

const float* shift_at(const float* shift, const Block& block) {
    return shift == nullptr ? nullptr : shift + block.first;
}

void gather_by_results(const Loops& loops, const ReductionPlan& plan, const float* x,
                       const float* shift, float* y) {
    const ReductionBlocks blocks(plan);
    const Index all = parts_of(plan);
#pragma omp parallel for if (plan.results() * plan.terms() > worth_threads)
    for (Index number = 0; number < blocks.count; ++number) {
        const Block block = blocks[number];
        gather(loops, plan, block, {0, all}, x, shift_at(shift, block), y + block.first);
    }
}

// Few results of many terms: each thread gathers a part of every result, then the parts are joined.
void gather_by_terms(const Loops& loops, const ReductionPlan& plan, const float* x,
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

void gather_all(const Loops& loops, const ReductionPlan& plan, const float* x, const float* shift,
                float* y) {
    const bool few = ReductionBlocks(plan).count < omp_get_max_threads() &&
                     plan.terms() > worth_threads / std::max<Index>(plan.results(), 1);
    few&& omp_get_max_threads() > 1 ? gather_by_terms(loops, plan, x, shift, y)
                                    : gather_by_results(loops, plan, x, shift, y);
}

bool needs_end(ReductionKind kind) {
    return kind == ReductionKind::mean || kind == ReductionKind::l2 ||
           kind == ReductionKind::log_sum;
}

// What becomes of the gathered value.
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

// log(sum of exp x) = m + log(sum of exp(x - m)) with the greatest m, which y holds at first. An
// infinite m is not subtracted: the difference would be no number.
void log_sum_exp(const ReductionPlan& plan, const float* x, float* y) {
    const auto results = static_cast<std::size_t>(plan.results());
    std::vector<float> greatest(y, y + results);
    for (float& most : greatest) {
        most = std::isfinite(most) ? most : 0.0F;
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
#pragma omp parallel for if (plan.results() > worth_threads)
        for (Index i = 0; i < plan.results(); ++i) {
            y[i] = finished(kind, y[i], terms);
        }
    }
}

}  // namespace strata::onednn
