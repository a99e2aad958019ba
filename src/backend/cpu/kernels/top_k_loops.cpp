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

// Elements along one axis of a tensor, `step` apart.
struct Strided {
    const float* at = nullptr;
    Index count = 0;
    Index step = 1;

    float operator[](Index i) const { return at[i * step]; }
};

Candidate candidate(const Strided& row, Index i, bool largest) {
    return {largest ? row[i] : -row[i], i};
}

// The first few elements in order. An element rarely precedes the last of those found so far; its
// place is then found by shifting the others.
template <class Precedes>
void choose_few(const Strided& row, bool largest, std::vector<Candidate>& best, Precedes precedes) {
    const auto room = static_cast<Index>(best.size());
    for (Index i = 0; i < room; ++i) {
        best[static_cast<std::size_t>(i)] = candidate(row, i, largest);
    }
    std::ranges::sort(best, precedes);
    for (Index i = room; i < row.count; ++i) {
        const Candidate next = candidate(row, i, largest);
        if (precedes(next, best.back())) {
            std::size_t place = best.size() - 1;
            for (; place > 0 && precedes(next, best[place - 1]); --place) {
                best[place] = best[place - 1];
            }
            best[place] = next;
        }
    }
}

// The same for many: `all` has room for the whole row.
template <class Precedes>
void choose_many(const Strided& row, bool largest, std::vector<Candidate>& all,
                 std::vector<Candidate>& best, Precedes precedes) {
    for (Index i = 0; i < row.count; ++i) {
        all[static_cast<std::size_t>(i)] = candidate(row, i, largest);
    }
    const auto end = all.begin() + std::ssize(best);
    std::ranges::nth_element(all, end - 1, precedes);
    std::sort(all.begin(), end, precedes);
    std::copy(all.begin(), end, best.begin());
}

template <class Precedes>
void choose(const Strided& row, bool largest, std::vector<Candidate>& all,
            std::vector<Candidate>& best, Precedes precedes) {
    constexpr std::size_t few = 32;
    best.size() <= few ? choose_few(row, largest, best, precedes)
                       : choose_many(row, largest, all, best, precedes);
}

bool has_nan(const Strided& row) {
    int found = 0;
    for (Index i = 0; i < row.count; ++i) {
        found |= row[i] != row[i] ? 1 : 0;
    }
    return found != 0;
}

}  // namespace

void top_k(const TopKShape& s, const float* x, float* y, float* positions) {
    if (s.k == 0) {
        return;
    }
#pragma omp parallel if (s.outer * s.inner > 1 && s.outer * s.extent * s.inner > min_parallel_work)
    {
        std::vector<Candidate> best(static_cast<std::size_t>(s.k));
        std::vector<Candidate> all(static_cast<std::size_t>(s.extent));
#pragma omp for
        for (Index number = 0; number < s.outer * s.inner; ++number) {
            const Index before = number / s.inner, after = number % s.inner;
            const Strided row{x + before * s.extent * s.inner + after, s.extent, s.inner};
            if (has_nan(row)) {
                choose(row, s.largest, all, best, [&s](const Candidate& a, const Candidate& b) {
                    return precedes_with_nan(a, b, s.largest);
                });
            } else {
                choose(row, s.largest, all, best, precedes);
            }
            for (Index i = 0; i < s.k; ++i) {
                const Index to = (before * s.k + i) * s.inner + after;
                const Index position = best[static_cast<std::size_t>(i)].position;
                y[to] = row[position];
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
