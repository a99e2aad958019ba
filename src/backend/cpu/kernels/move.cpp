// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/move.h"

#include <omp.h>

#include <algorithm>
#include <cstring>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

// Below this many elements a second thread costs more than it saves.
constexpr Index min_parallel_work = 1 << 14;

// This thread's part [begin, end) of `count` items.
struct Share {
    Index begin = 0;
    Index end = 0;
};

Share share_of(Index count) {
    const Index threads = omp_get_num_threads(), self = omp_get_thread_num();
    return {count * self / threads, count * (self + 1) / threads};
}

template <class Element>
void copy_run(const Element* from, Element* to, Index length, Index from_step, Index to_step) {
    if (from_step == 1 && to_step == 1) {
        std::copy_n(from, length, to);
    } else if (from_step == 0 && to_step == 1) {
        std::fill_n(to, length, *from);
    } else {
#pragma GCC ivdep
        for (Index i = 0; i < length; ++i) {
            to[i * to_step] = from[i * from_step];
        }
    }
}

}  // namespace

// A thread's position among the rows: an index along each axis, and the sum of their offsets.
struct Movement::Cursor {
    Cursor(const std::vector<Axis>& all, Index row) : axes(all), index(all.size()) {
        for (std::size_t axis = axes.size(); axis-- > 0;) {
            const auto extent = static_cast<Index>(axes[axis].from.size());
            index[axis] = static_cast<std::size_t>(row % extent);
            row /= extent;
            from += axes[axis].from[index[axis]];
            to += axes[axis].to[index[axis]];
        }
    }

    void advance() {
        for (std::size_t axis = axes.size(); axis-- > 0;) {
            const Axis& along = axes[axis];
            const std::size_t old = index[axis];
            const bool more = old + 1 < along.from.size();
            index[axis] = more ? old + 1 : 0;
            from += along.from[index[axis]] - along.from[old];
            to += along.to[index[axis]] - along.to[old];
            if (more) {
                return;
            }
        }
    }

    const std::vector<Axis>& axes;
    std::vector<std::size_t> index;
    Index from = 0;
    Index to = 0;
};

std::int64_t Movement::row_count() const {
    Index rows = 1;
    for (const Axis& axis : axes_) {
        rows *= static_cast<Index>(axis.to.size());
    }
    return rows;
}

void Movement::operator()(const void* from, void* to) const {
    if (element_bytes_ == 1) {
        copy_runs(static_cast<const std::uint8_t*>(from), static_cast<std::uint8_t*>(to));
    } else if (element_bytes_ == 2) {
        copy_runs(static_cast<const std::uint16_t*>(from), static_cast<std::uint16_t*>(to));
    } else {
        copy_runs(static_cast<const std::uint32_t*>(from), static_cast<std::uint32_t*>(to));
    }
}

template <class Element>
void Movement::copy_runs(const Element* from, Element* to) const {
    const auto runs = static_cast<Index>(runs_.size());
    const Index items = row_count() * runs;
#pragma omp parallel if (items * runs_.front().length > min_parallel_work)
    {
        const Share share = share_of(items);
        Cursor cursor(axes_, share.begin / runs);
        Index next = share.begin % runs;
        for (Index item = share.begin; item < share.end; ++item) {
            const Run& run = runs_[static_cast<std::size_t>(next)];
            copy_run(from + cursor.from + run.from, to + cursor.to + run.to, run.length,
                     run.from_step, run.to_step);
            if (++next == runs) {
                next = 0;
                cursor.advance();
            }
        }
    }
}

void clear(void* memory, std::size_t bytes) {
    auto* const start = static_cast<std::byte*>(memory);
#pragma omp parallel if (static_cast <Index>(bytes) > 4 * min_parallel_work)
    {
        const Share share = share_of(static_cast<Index>(bytes));
        std::memset(start + share.begin, 0, static_cast<std::size_t>(share.end - share.begin));
    }
}

}  // namespace strata::cpu
