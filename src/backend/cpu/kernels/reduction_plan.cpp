// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/reduction_plan.h"

#include <algorithm>

namespace strata::cpu {

namespace {

using Index = std::int64_t;

constexpr Index widest = 1 << 10;

}  // namespace

ReductionPlan::ReductionPlan(const Dims& whole, const Dims& kept) {
    std::vector<Axis> axes;
    std::vector<bool> reduced;
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        const bool vanishes = kept[axis] != whole[axis];
        if (whole[axis] == 1) {
            continue;
        }
        if (axes.empty() || reduced.back() != vanishes) {
            axes.push_back({});
            reduced.push_back(vanishes);
        }
        axes.back().extent *= whole[axis];
    }
    Index step = 1;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        axes[axis].step = step;
        step *= axes[axis].extent;
    }
    if (!axes.empty()) {
        row = axes.back().extent;
        row_is_reduced = reduced.back();
        axes.pop_back();
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        (reduced[axis] ? reduced_axes : kept_axes).push_back(axes[axis]);
    }
}

std::int64_t ReductionPlan::terms() const {
    return count_of(reduced_axes) * (row_is_reduced ? row : 1);
}

std::int64_t ReductionPlan::results() const {
    return count_of(kept_axes) * (row_is_reduced ? 1 : row);
}

std::int64_t count_of(const std::vector<ReductionPlan::Axis>& axes) {
    Index count = 1;
    for (const ReductionPlan::Axis& axis : axes) {
        count *= axis.extent;
    }
    return count;
}

std::int64_t offset_of(const std::vector<ReductionPlan::Axis>& axes, std::int64_t number) {
    Index offset = 0;
    for (std::size_t axis = axes.size(); axis-- > 0;) {
        offset += number % axes[axis].extent * axes[axis].step;
        number /= axes[axis].extent;
    }
    return offset;
}

ReductionBlocks::ReductionBlocks(const ReductionPlan& all)
    : plan(all),
      width(all.row_is_reduced ? 1 : std::min(widest, all.row)),
      in_row(all.row_is_reduced ? 1 : (all.row + widest - 1) / widest),
      count(count_of(all.kept_axes) * in_row) {}

ReductionBlock ReductionBlocks::operator[](std::int64_t number) const {
    const Index kept = number / in_row, start = number % in_row * width;
    const Index results = plan.row_is_reduced ? 1 : plan.row;
    return {.first = kept * results + start,
            .count = std::min(width, results - start),
            .offset = offset_of(plan.kept_axes, kept) + start};
}

}  // namespace strata::cpu
