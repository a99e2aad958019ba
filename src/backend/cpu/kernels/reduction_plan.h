// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <vector>

namespace strata::cpu {

// A row-major tensor of which some axes are reduced. Neighbouring axes of one kind are one, so what
// is left alternates: kept, reduced, kept, ...
struct ReductionPlan {
    struct Axis {
        std::int64_t extent = 1;
        std::int64_t step = 0;  // elements of the tensor to the next index
    };

    // `kept` has extent 1 where an axis is reduced and `whole`'s extent elsewhere.
    ReductionPlan(const Dims& whole, const Dims& kept);

    // One element of the result is made of `terms`; `results` of them.
    std::int64_t terms() const;
    std::int64_t results() const;

    // Outermost first. The innermost axis of all, which is walked in order, stands apart: it is
    // reduced to one value, or each of its elements is a result of its own.
    std::vector<Axis> kept_axes;
    std::vector<Axis> reduced_axes;
    std::int64_t row = 1;
    bool row_is_reduced = false;
};

std::int64_t count_of(const std::vector<ReductionPlan::Axis>& axes);

// Where combination `number` of some axes begins.
std::int64_t offset_of(const std::vector<ReductionPlan::Axis>& axes, std::int64_t number);

// Results that lie side by side and one thread makes together.
struct ReductionBlock {
    std::int64_t first = 0;  // result
    std::int64_t count = 1;
    std::int64_t offset = 0;  // of the first term in the tensor
};

// All results by blocks: of a kept row some that stay in the first cache level, of reduced rows
// one.
struct ReductionBlocks {
    // Requires: the plan lives as long.
    explicit ReductionBlocks(const ReductionPlan& plan);
    ReductionBlock operator[](std::int64_t number) const;

    const ReductionPlan& plan;
    std::int64_t width = 1;
    std::int64_t in_row = 1;
    std::int64_t count = 1;
};

}  // namespace strata::cpu
