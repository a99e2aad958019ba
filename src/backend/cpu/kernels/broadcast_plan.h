// SPDX-License-Identifier: MIT
#pragma once

#include "op/tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace strata::cpu {

// How several row-major operands are broadcast to a result by NumPy's rule: the result's axes,
// merged as far as possible, and each operand's stride along each, 0 if it is broadcast. The
// innermost axis is the row.
struct BroadcastPlan {
    BroadcastPlan(std::span<const Dims> operands, const Dims& result);

    std::int64_t rows() const;
    std::int64_t row_length() const { return extents.back(); }
    // The start of an operand's part of a row, and the stride of its elements there.
    std::int64_t row_offset(std::size_t operand, std::int64_t row) const;
    std::int64_t row_step(std::size_t operand) const { return steps[operand].back(); }
    // Whether an element of the operand occurs in several rows; whether several times in one row.
    bool repeats_rows(std::size_t operand) const;
    bool repeats_in_row(std::size_t operand) const;

    Dims extents;
    std::vector<Dims> steps;  // by operand, then by axis
};

}  // namespace strata::cpu
