// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_statistics.h"

#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/vector_library.h"

#include <array>
#include <cmath>
#include <limits>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

// How a statistic is accumulated: its start value, what a term contributes (`shift` is subtracted
// before an exponential), and how two parts are combined.
struct Sum {
    static constexpr float start = 0;
    [[gnu::always_inline]] static float add(float sum, float x, float) { return sum + x; }
    [[gnu::always_inline]] static float join(float a, float b) { return a + b; }
};
struct SumOfSquares : Sum {
    [[gnu::always_inline]] static float add(float sum, float x, float) { return sum + x * x; }
};
struct SumOfMagnitudes : Sum {
    [[gnu::always_inline]] static float add(float sum, float x, float) { return sum + std::abs(x); }
};
struct SumOfExponentials : Sum {
    [[gnu::always_inline]] static float add(float sum, float x, float shift) {
        return sum + ::expf(x - shift);
    }
};
struct Product {
    static constexpr float start = 1;
    [[gnu::always_inline]] static float add(float product, float x, float) { return product * x; }
    [[gnu::always_inline]] static float join(float a, float b) { return a * b; }
};
struct Maximum {
    static constexpr float start = -std::numeric_limits<float>::infinity();
    [[gnu::always_inline]] static float add(float maximum, float x, float) {
        return x > maximum ? x : maximum;
    }
    [[gnu::always_inline]] static float join(float a, float b) { return b > a ? b : a; }
};
struct Minimum {
    static constexpr float start = std::numeric_limits<float>::infinity();
    [[gnu::always_inline]] static float add(float minimum, float x, float) {
        return x < minimum ? x : minimum;
    }
    [[gnu::always_inline]] static float join(float a, float b) { return b < a ? b : a; }
};

// Reduces a row to one value, in lanes that the compiler keeps in wide registers.
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
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {  // (one after the other would wait)
        for (std::size_t lane = 0; lane < half; ++lane) {
            parts[lane] = Statistic::join(parts[lane], parts[lane + half]);
        }
    }
    float result = parts[0];
    for (; i < count; ++i) {
        result = Statistic::add(result, x[i], shift);
    }
    return result;
}

// Accumulates a row into as many results; `shift` has one value per result, or is null.
template <class Statistic>
[[gnu::always_inline]] inline void across(const float* x, Index count, const float* shift,
                                          float* results) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
        results[i] = Statistic::add(results[i], x[i], shift == nullptr ? 0.0F : shift[i]);
    }
}

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

STRATA_EACH_ISA float exponentials_along(const float* x, Index n, float s) {
    return along<SumOfExponentials>(x, n, s);
}
STRATA_EACH_ISA void exponentials_across(const float* x, Index n, const float* s, float* y) {
    across<SumOfExponentials>(x, n, s, y);
}

template <class Statistic>
StatisticLoops loops_of(float (*along)(const float*, Index, float),
                        void (*across)(const float*, Index, const float*, float*)) {
    return {Statistic::start, along, across, Statistic::join};
}

}  // namespace

StatisticLoops loops_of(ReductionKind kind) {
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

StatisticLoops exponential_loops() {
    return loops_of<SumOfExponentials>(exponentials_along, exponentials_across);
}

}  // namespace strata::cpu
