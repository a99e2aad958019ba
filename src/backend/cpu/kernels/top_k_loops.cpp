// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/top_k_loops.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index min_parallel_work = 1 << 12;

// An element of a row: its sort key, greater keys first, and its position.
struct Candidate {
    float key = 0;
    Index position = 0;
};

// The keys of NaN and of infinity are both infinite; these cases are distinguished here.
bool precedes(const Candidate& a, const Candidate& b) {
    return a.key != b.key ? a.key > b.key : a.position < b.position;
}

// NaN comes before infinity (or, for the smallest, after it).
bool precedes_with_nan(const Candidate& a, const Candidate& b, bool largest) {
    const bool a_nan = std::isnan(a.key), b_nan = std::isnan(b.key);
    if (a_nan != b_nan) {
        return a_nan == largest;
    }
    return a_nan ? a.position < b.position : precedes(a, b);
}

// The first k of a row, in order.
void choose(std::vector<Candidate>& row, Index k, bool largest) {
    const bool any_nan =
        std::ranges::any_of(row, [](const Candidate& c) { return std::isnan(c.key); });
    const auto end = row.begin() + k;
    if (any_nan) {
        std::partial_sort(row.begin(), end, row.end(), [=](const Candidate& a, const Candidate& b) {
            return precedes_with_nan(a, b, largest);
        });
    } else {
        std::partial_sort(row.begin(), end, row.end(), precedes);
    }
}

}  // namespace

void top_k(const TopKShape& s, const float* x, float* y, float* positions) {
#pragma omp parallel if (s.outer * s.inner > 1 && s.outer * s.extent * s.inner > min_parallel_work)
    {
        std::vector<Candidate> row(static_cast<std::size_t>(s.extent));
#pragma omp for
        for (Index number = 0; number < s.outer * s.inner; ++number) {
            const Index before = number / s.inner, after = number % s.inner;
            const float* const from = x + before * s.extent * s.inner + after;
            for (Index i = 0; i < s.extent; ++i) {
                const float value = from[i * s.inner];
                row[static_cast<std::size_t>(i)] = {s.largest ? value : -value, i};
            }
            choose(row, s.k, s.largest);
            for (Index i = 0; i < s.k; ++i) {
                const Index to = (before * s.k + i) * s.inner + after;
                const Index position = row[static_cast<std::size_t>(i)].position;
                y[to] = from[position * s.inner];
                positions[to] = static_cast<float>(position);
            }
        }
    }
}

void hardmax(const TopKShape& s, const float* x, float* y) {
#pragma omp parallel for if (s.outer * s.inner > 1 && \
                             s.outer * s.extent * s.inner > min_parallel_work)
    for (Index number = 0; number < s.outer * s.inner; ++number) {
        const Index start = number / s.inner * s.extent * s.inner + number % s.inner;
        Index first = 0;
        for (Index i = 0; i < s.extent; ++i) {
            const Candidate best = {x[start + first * s.inner], first};
            if (precedes_with_nan({x[start + i * s.inner], i}, best, true)) {
                first = i;
            }
            y[start + i * s.inner] = 0;
        }
        y[start + first * s.inner] = 1;
    }
}

void top_k_gradient(const TopKShape& s, const float* dy, const float* positions, float* dx) {
#pragma omp parallel for if (s.outer > 1 && s.outer * s.extent * s.inner > min_parallel_work)
    for (Index before = 0; before < s.outer; ++before) {
        float* const to = dx + before * s.extent * s.inner;
        std::fill_n(to, s.extent * s.inner, 0.0F);
        for (Index i = 0; i < s.k * s.inner; ++i) {
            const Index from = before * s.k * s.inner + i;
            to[static_cast<Index>(positions[from]) * s.inner + i % s.inner] = dy[from];
        }
    }
}

}  // namespace strata::cpu
