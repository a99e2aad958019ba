// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/gather_loops.h"

#include "backend/semantics.h"
#include "base/error.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index min_parallel_work = 1 << 14;

using strata::place_of_index;
Index place_of_index(std::int32_t index, Index extent) {
    return index < 0 ? index + extent : index;
}

// Checked before any thread reads a row: an exception cannot leave a parallel region.
void require_rows(const GatherShape& s, const std::int32_t* indices) {
    for (Index i = 0; i < s.indices; ++i) {
        if (const Index row = place_of_index(indices[i], s.extent); row < 0 || row >= s.extent) {
            throw Error(fmt::format(
                "embedding: index {} is outside the table of {} rows; give indices below {}",
                indices[i], s.extent, s.extent));
        }
    }
}

template <class Element, class Number>
void gather(const GatherShape& s, const Element* data, const Number* indices, Element* y) {
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
template <class Number>
void add_to_own(const GatherShape& s, const float* dy, const Number* indices, float* dx,
                Index begin, Index end) {
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

template <class Number>
void gather_any(const GatherShape& shape, std::size_t element_bytes, const void* data,
                const Number* indices, void* y) {
    const auto as = [&]<class Element>(Element) {
        gather(shape, static_cast<const Element*>(data), indices, static_cast<Element*>(y));
    };
    if (element_bytes == 1) {
        as(std::uint8_t{});
    } else if (element_bytes == 2) {
        as(std::uint16_t{});
    } else {
        as(std::uint32_t{});
    }
}

template <class Number>
void add_any(const GatherShape& shape, const float* dy, const Number* indices, float* dx) {
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

}  // namespace

void gather_slices(const GatherShape& shape, std::size_t element_bytes, const void* data,
                   const float* indices, void* y) {
    gather_any(shape, element_bytes, data, indices, y);
}

void gather_rows(const GatherShape& shape, std::size_t element_bytes, const void* table,
                 const std::int32_t* indices, void* y) {
    require_rows(shape, indices);
    gather_any(shape, element_bytes, table, indices, y);
}

void add_slices(const GatherShape& shape, const float* dy, const float* indices, float* dx) {
    add_any(shape, dy, indices, dx);
}

void add_rows(const GatherShape& shape, const float* dy, const std::int32_t* indices, float* dx) {
    require_rows(shape, indices);
    add_any(shape, dy, indices, dx);
}

}  // namespace strata::cpu
