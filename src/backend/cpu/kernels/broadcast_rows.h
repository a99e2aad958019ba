// SPDX-License-Identifier: MIT
#pragma once

#include "op/elementwise.h"

#include <cstdint>

// Loops over one row of a broadcast result, compiled for each instruction set.
namespace strata::cpu {

// A row of an operand; a step of 0 repeats its one element.
struct OperandRow {
    const float* at = nullptr;
    std::int64_t step = 1;

    float operator[](std::int64_t i) const { return at[i * step]; }
};

// out = a op b; `out` may be a's memory.
void combine_row(ElementwiseKind kind, OperandRow a, OperandRow b, float* out, std::int64_t count);

// out = dy * d(a op b)/d(operand `which`).
void slope_row(ElementwiseKind kind, std::size_t which, OperandRow a, OperandRow b, const float* dy,
               float* out, std::int64_t count);

// out = a^b, and out = dy * b a^(b - 1); `out` may be a's memory.
void raise_row(OperandRow a, OperandRow b, float* out, std::int64_t count);
void raise_slope_row(OperandRow a, OperandRow b, const float* dy, float* out, std::int64_t count);

// out = condition != 0 ? a : b; and its gradient for one operand: out = dy where that operand was
// selected, else 0.
void select_row(OperandRow condition, OperandRow a, OperandRow b, float* out, std::int64_t count);
void select_slope_row(OperandRow condition, bool if_true, const float* dy, float* out,
                      std::int64_t count);

// to += from; and the sum of a row.
void add_row(const float* from, float* to, std::int64_t count);
float sum_row(const float* from, std::int64_t count);

}  // namespace strata::cpu
