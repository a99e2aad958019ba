// SPDX-License-Identifier: MIT
#include "backend/onednn/move.h"

#include <omp.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace strata::onednn {

namespace {

using Index = std::int64_t;

// Below this many elements a second thread costs more than it brings.
constexpr Index worth_threads = 1 << 14;
// Runs longer than this are shared out among threads.
constexpr Index longest_run = 1 << 14;

// The part [begin, end) of `count` items that falls to this thread.
struct Share {
    Index begin = 0;
    Index end = 0;
};

Share share_of(Index count) {
    const Index threads = omp_get_num_threads(), self = omp_get_thread_num();
    return {count * self / threads, count * (self + 1) / threads};
}

Index distance(const std::vector<Index>& offsets) {
    return offsets.size() < 2 ? 0 : std::abs(offsets[1] - offsets[0]);
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

// Where a thread is among the rows: an index along each axis, and the sum of the tables' entries.
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

// The axes are walked in the order in which the destination lies, so that writes are neighbours.
Movement::Movement(const AxisOffsets& from, const AxisOffsets& to, std::size_t element_bytes)
    : element_bytes_(element_bytes) {
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
        axes_.push_back({from[axis], to[axis]});
    }
    // An axis of one element has no steps: it may stand outermost.
    std::ranges::stable_sort(axes_, [](const Axis& a, const Axis& b) {
        const bool a_single = a.to.size() == 1, b_single = b.to.size() == 1;
        return a_single != b_single ? a_single : distance(a.to) > distance(b.to);
    });
    runs_ = {Run{}};
    merge_axes();
    cut_long_runs();
}

// Adds a run behind others, or makes the last one longer where it goes on evenly.
void Movement::append(std::vector<Run>& runs, const Run& next) {
    if (runs.empty()) {
        runs.push_back(next);
        return;
    }
    Run& last = runs.back();
    const bool single = last.length == 1;
    const Index from_step = single ? next.from - last.from : last.from_step;
    const Index to_step = single ? next.to - last.to : last.to_step;
    const bool even = next.length == 1 || (next.from_step == from_step && next.to_step == to_step);
    if (even && next.from == last.from + last.length * from_step &&
        next.to == last.to + last.length * to_step) {
        last = {last.from, last.to, last.length + next.length, from_step, to_step};
    } else {
        runs.push_back(next);
    }
}

std::vector<Movement::Run> Movement::repeated_along(const Axis& axis,
                                                    const std::vector<Run>& runs) {
    std::vector<Run> all;
    for (std::size_t i = 0; i < axis.to.size(); ++i) {
        for (const Run& run : runs) {
            append(all, {run.from + axis.from[i], run.to + axis.to[i], run.length, run.from_step,
                         run.to_step});
        }
    }
    return all;
}

// The innermost axis becomes runs; those outside of it join as long as that makes runs longer
// instead of more numerous.
void Movement::merge_axes() {
    bool innermost = true;
    while (!axes_.empty()) {
        std::vector<Run> merged = repeated_along(axes_.back(), runs_);
        if (!innermost && merged.size() > runs_.size()) {
            return;
        }
        innermost = innermost && axes_.back().to.size() == 1;
        runs_ = std::move(merged);
        axes_.pop_back();
    }
}

void Movement::cut_long_runs() {
    std::vector<Run> pieces;
    for (const Run& run : runs_) {
        for (Index at = 0; at < run.length; at += longest_run) {
            pieces.push_back({run.from + at * run.from_step, run.to + at * run.to_step,
                              std::min(longest_run, run.length - at), run.from_step, run.to_step});
        }
    }
    runs_ = std::move(pieces);
}

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
#pragma omp parallel if (items * runs_.front().length > worth_threads)
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
#pragma omp parallel if (static_cast <Index>(bytes) > 4 * worth_threads)
    {
        const Share share = share_of(static_cast<Index>(bytes));
        std::memset(start + share.begin, 0, static_cast<std::size_t>(share.end - share.begin));
    }
}

}  // namespace strata::onednn
