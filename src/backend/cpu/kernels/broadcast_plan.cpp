// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/broadcast_plan.h"

#include <algorithm>

namespace strata::cpu {

namespace {

// An operand's strides along the result's axes.
Dims stretched_steps(const Dims& operand, const Dims& result) {
    Dims steps(result.size(), 0);
    const std::size_t missing = result.size() - operand.size();
    std::int64_t step = 1;
    for (std::size_t axis = operand.size(); axis-- > 0;) {
        steps[missing + axis] = operand[axis] == 1 ? 0 : step;
        step *= operand[axis];
    }
    return steps;
}

}  // namespace

BroadcastPlan::BroadcastPlan(std::span<const Dims> operands, const Dims& result)
    : steps(operands.size()) {
    std::vector<Dims> whole;
    for (const Dims& operand : operands) {
        whole.push_back(stretched_steps(operand, result));
    }
    // Two adjacent axes can be merged if every operand has a uniform stride through both.
    const auto joins = [&](std::size_t axis) {
        for (std::size_t j = 0; j < whole.size(); ++j) {
            if (steps[j].back() != whole[j][axis] * result[axis]) {
                return false;
            }
        }
        return true;
    };
    for (std::size_t axis = 0; axis < result.size(); ++axis) {
        if (result[axis] == 1) {
            continue;
        }
        const bool joined = !extents.empty() && joins(axis);
        joined ? static_cast<void>(extents.back() *= result[axis])
               : extents.push_back(result[axis]);
        for (std::size_t j = 0; j < whole.size(); ++j) {
            joined ? static_cast<void>(steps[j].back() = whole[j][axis])
                   : steps[j].push_back(whole[j][axis]);
        }
    }
    if (extents.empty()) {
        extents = {1};
        std::ranges::fill(steps, Dims{0});
    }
}

std::int64_t BroadcastPlan::rows() const {
    return product(std::span(extents).first(extents.size() - 1));
}

std::int64_t BroadcastPlan::row_offset(std::size_t operand, std::int64_t row) const {
    std::int64_t offset = 0;
    for (std::size_t axis = extents.size() - 1; axis-- > 0;) {
        offset += row % extents[axis] * steps[operand][axis];
        row /= extents[axis];
    }
    return offset;
}

bool BroadcastPlan::repeats_rows(std::size_t operand) const {
    const auto outer = std::span(steps[operand]).first(extents.size() - 1);
    return std::ranges::find(outer, 0) != outer.end();
}

bool BroadcastPlan::repeats_in_row(std::size_t operand) const {
    return row_length() > 1 && row_step(operand) == 0;
}

}  // namespace strata::cpu
