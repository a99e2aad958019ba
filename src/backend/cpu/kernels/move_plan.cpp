// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/move.h"

#include <algorithm>
#include <cstdlib>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

// Longer runs are split among threads.
constexpr Index longest_run = 1 << 14;

Index distance(const std::vector<Index>& offsets) {
    return offsets.size() < 2 ? 0 : std::abs(offsets[1] - offsets[0]);
}

}  // namespace

// The axes are walked in the destination's memory order, so that writes are adjacent.
Movement::Movement(const AxisOffsets& from, const AxisOffsets& to, std::size_t element_bytes)
    : element_bytes_(element_bytes) {
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
        axes_.push_back({from[axis], to[axis]});
    }
    // An axis of one element has no step, so it may be outermost.
    std::ranges::stable_sort(axes_, [](const Axis& a, const Axis& b) {
        const bool a_single = a.to.size() == 1, b_single = b.to.size() == 1;
        return a_single != b_single ? a_single : distance(a.to) > distance(b.to);
    });
    runs_ = {Run{}};
    merge_axes();
    cut_long_runs();
}

// Appends a run, or extends the last one if the new one continues it with the same steps.
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

// The innermost axis becomes runs. Outer axes are merged as long as that makes runs longer instead
// of more numerous.
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

}  // namespace strata::cpu
