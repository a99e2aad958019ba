// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <vector>

namespace strata::cpu {

// A row-major tensor with some axes reduced. Adjacent axes of the same kind are merged, so they
// alternate: kept, reduced, kept, ...
struct ReductionPlan {
    struct Axis {
        std::int64_t extent = 1;
        std::int64_t step = 0;  // elements of the tensor to the next index
    };

    // `kept` has extent 1 where an axis is reduced, elsewhere the extent of `whole`.
    ReductionPlan(const Dims& whole, const Dims& kept);

    // The number of terms of each result, and the number of results.
    std::int64_t terms() const;
    std::int64_t results() const;

    // Outermost first. The innermost axis of all, which is walked in order, is separate: either it
    // is reduced to one value, or each of its elements is a result.
    std::vector<Axis> kept_axes;
    std::vector<Axis> reduced_axes;
    std::int64_t row = 1;
    bool row_is_reduced = false;
};

std::int64_t count_of(const std::vector<ReductionPlan::Axis>& axes);

// The offset of the combination `number` of these axes' indices.
std::int64_t offset_of(const std::vector<ReductionPlan::Axis>& axes, std::int64_t number);

// Adjacent results that one thread computes together.
struct ReductionBlock {
    std::int64_t first = 0;  // result
    std::int64_t count = 1;
    std::int64_t offset = 0;  // of the first term
};

// All results, in blocks: of a kept row as many results as stay in the L1 cache, of a reduced row
// one.
struct ReductionBlocks {
    // Requires: the plan outlives it.
    explicit ReductionBlocks(const ReductionPlan& plan);
    ReductionBlock operator[](std::int64_t number) const;

    const ReductionPlan& plan;
    std::int64_t width = 1;
    std::int64_t in_row = 1;
    std::int64_t count = 1;
};

}  // namespace strata::cpu
