// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/gather_loops.h"

#include "backend/semantics.h"

#include <omp.h>

#include <algorithm>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index min_parallel_work = 1 << 14;

template <class Element>
void gather(const GatherShape& s, const Element* data, const float* indices, Element* y) {
    const Index rows = s.outer * s.indices;
#pragma omp parallel for if (rows * s.inner > min_parallel_work)
    for (Index row = 0; row < rows; ++row) {
        const Index before = row / s.indices;
        const Index at = place_of_index(indices[row % s.indices], s.extent);
        const Element* from = data + (before * s.extent + at) * s.inner;
        if (s.inner == 1) {
            y[row] = *from;
        } else {
            std::copy_n(from, s.inner, y + row * s.inner);
        }
    }
}

void add(const float* from, float* to, Index count) {
#pragma GCC ivdep
    for (Index i = 0; i < count; ++i) {
        to[i] += from[i];
    }
}

// Each thread owns the rows [begin, end) of all outer x extent rows: several rows of dy may be
// added to the same row, so no other thread may write there.
void add_to_own(const GatherShape& s, const float* dy, const float* indices, float* dx, Index begin,
                Index end) {
    std::fill(dx + begin * s.inner, dx + end * s.inner, 0.0F);
    for (Index before = begin / s.extent; before * s.extent < end; ++before) {
        for (Index i = 0; i < s.indices; ++i) {
            const Index row = before * s.extent + place_of_index(indices[i], s.extent);
            if (row >= begin && row < end) {
                add(dy + (before * s.indices + i) * s.inner, dx + row * s.inner, s.inner);
            }
        }
    }
}

}  // namespace

void gather_rows(const GatherShape& shape, std::size_t element_bytes, const void* data,
                 const float* indices, void* y) {
    if (element_bytes == 1) {
        gather(shape, static_cast<const std::uint8_t*>(data), indices,
               static_cast<std::uint8_t*>(y));
    } else if (element_bytes == 2) {
        gather(shape, static_cast<const std::uint16_t*>(data), indices,
               static_cast<std::uint16_t*>(y));
    } else {
        gather(shape, static_cast<const std::uint32_t*>(data), indices,
               static_cast<std::uint32_t*>(y));
    }
}

void add_rows(const GatherShape& shape, const float* dy, const float* indices, float* dx) {
    const Index rows = shape.outer * shape.extent;
#pragma omp parallel if (rows * shape.inner > min_parallel_work)
    {
        const Index threads = omp_get_num_threads(), self = omp_get_thread_num();
        const Index begin = rows * self / threads, end = rows * (self + 1) / threads;
        if (begin < end) {
            add_to_own(shape, dy, indices, dx, begin, end);
        }
    }
}

}  // namespace strata::cpu
