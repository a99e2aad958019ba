// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/softmax_loops.h"

#include "backend/cpu/kernels/fast_exp.h"
#include "backend/cpu/kernels/isa.h"
#include "backend/cpu/kernels/vector_library.h"

#include <algorithm>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

// Columns that are computed together: their maxima and sums stay in registers and the L1 cache.
constexpr Index block = 256;
using Columns = float[block];

// A block's columns: `terms` rows, `step` elements apart.
struct Part {
    Index terms = 1;
    Index step = 1;
    Index columns = 1;
};

// Always inlined, so that it is compiled for the caller's instruction set.
[[gnu::always_inline]] inline void find_greatest(const Part& part, const float* x,
                                                 Columns& greatest) {
    std::copy_n(x, part.columns, greatest);
    for (Index term = 1; term < part.terms; ++term) {
        const float* row = x + term * part.step;
        for (Index i = 0; i < part.columns; ++i) {
            greatest[i] = greater_of(greatest[i], row[i]);
        }
    }
}

STRATA_EACH_ISA void exponentials(const Part& part, const float* x, float* y) {
    Columns greatest, sum = {};
    find_greatest(part, x, greatest);
    for (Index term = 0; term < part.terms; ++term) {
        const float* row = x + term * part.step;
        float* const to = y + term * part.step;
#pragma GCC ivdep
        for (Index i = 0; i < part.columns; ++i) {
            to[i] = fast_exp(row[i] - greatest[i]);
            sum[i] += to[i];
        }
    }
    for (Index i = 0; i < part.columns; ++i) {
        sum[i] = 1 / sum[i];
    }
    for (Index term = 0; term < part.terms; ++term) {
        float* const to = y + term * part.step;
#pragma GCC ivdep
        for (Index i = 0; i < part.columns; ++i) {
            to[i] *= sum[i];
        }
    }
}

STRATA_EACH_ISA void logarithms(const Part& part, const float* x, float* y) {
    Columns greatest, sum = {};
    find_greatest(part, x, greatest);
    for (Index term = 0; term < part.terms; ++term) {
        const float* row = x + term * part.step;
        for (Index i = 0; i < part.columns; ++i) {
            sum[i] += fast_exp(row[i] - greatest[i]);
        }
    }
    for (Index i = 0; i < part.columns; ++i) {
        sum[i] = greatest[i] + ::logf(sum[i]);
    }
    for (Index term = 0; term < part.terms; ++term) {
        const float* row = x + term * part.step;
        float* const to = y + term * part.step;
#pragma GCC ivdep
        for (Index i = 0; i < part.columns; ++i) {
            to[i] = row[i] - sum[i];
        }
    }
}

// dx = y (dy - sum of y dy); for logarithms, dy - exp(y) (sum of dy).
STRATA_EACH_ISA void gradients(const Part& part, bool logarithm, const float* y, const float* dy,
                               float* dx) {
    Columns sum = {};
    for (Index term = 0; term < part.terms; ++term) {
        const float* value = y + term * part.step;
        const float* slope = dy + term * part.step;
        for (Index i = 0; i < part.columns; ++i) {
            sum[i] += logarithm ? slope[i] : value[i] * slope[i];
        }
    }
    for (Index term = 0; term < part.terms; ++term) {
        const float* value = y + term * part.step;
        const float* slope = dy + term * part.step;
        float* const to = dx + term * part.step;
        if (logarithm) {
#pragma GCC ivdep
            for (Index i = 0; i < part.columns; ++i) {
                to[i] = slope[i] - fast_exp(value[i]) * sum[i];
            }
        } else {
#pragma GCC ivdep
            for (Index i = 0; i < part.columns; ++i) {
                to[i] = value[i] * (slope[i] - sum[i]);
            }
        }
    }
}

// Calls use(part, offset) for each block of columns, divided among the threads.
template <class Use>
void for_each_part(const AcrossRows& shape, Use&& use) {
    const Index blocks = (shape.inner + block - 1) / block;
#pragma omp parallel for collapse(2) schedule(static)
    for (Index outer = 0; outer < shape.outer; ++outer) {
        for (Index number = 0; number < blocks; ++number) {
            const Index first = number * block;
            use(Part{shape.terms, shape.inner, std::min(block, shape.inner - first)},
                outer * shape.terms * shape.inner + first);
        }
    }
}

}  // namespace

void softmax_across(const AcrossRows& shape, const float* x, float* y) {
    for_each_part(shape, [&](const Part& part, Index at) {
        shape.logarithm ? logarithms(part, x + at, y + at) : exponentials(part, x + at, y + at);
    });
}

void softmax_across_gradient(const AcrossRows& shape, const float* y, const float* dy, float* dx) {
    for_each_part(shape, [&](const Part& part, Index at) {
        gradients(part, shape.logarithm, y + at, dy + at, dx + at);
    });
}

}  // namespace strata::cpu
