// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace strata::cpu {

// How the elements of several row-major operands meet in a result to which NumPy's rule stretches
// them: the result's axes, as few as do, and each operand's step along each, 0 where it is
// stretched. The innermost axis is the row.
struct BroadcastPlan {
    BroadcastPlan(std::span<const Dims> operands, const Dims& result);

    std::int64_t rows() const;
    std::int64_t row_length() const { return extents.back(); }
    // Where an operand's part of a row begins, and how far apart its elements lie in it.
    std::int64_t row_offset(std::size_t operand, std::int64_t row) const;
    std::int64_t row_step(std::size_t operand) const { return steps[operand].back(); }
    // Whether an element of the operand occurs in several rows; whether in several places of one.
    bool repeats_rows(std::size_t operand) const;
    bool repeats_in_row(std::size_t operand) const;

    Dims extents;
    std::vector<Dims> steps;  // by operand, then by axis
};

}  // namespace strata::cpu
