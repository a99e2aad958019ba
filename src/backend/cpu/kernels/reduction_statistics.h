// SPDX-License-Identifier: MIT
#pragma once

#include "op/reduction.h"

#include <cstdint>

namespace strata::cpu {

// The loops that gather one statistic, in the instruction set of this machine: where it starts, a
// row of terms to one value, a row of terms added to as many results, and how two parts become one.
// `shift` is subtracted before an exponential; across results there is one for each, or none.
struct StatisticLoops {
    float start = 0;
    float (*along)(const float* x, std::int64_t count, float shift) = nullptr;
    void (*across)(const float* x, std::int64_t count, const float* shift,
                   float* results) = nullptr;
    float (*join)(float a, float b) = nullptr;
};

// What is gathered from the terms themselves; of log_sum_exp first their maximum.
StatisticLoops loops_of(ReductionKind kind);

// The sum of exp(x - shift).
StatisticLoops exponential_loops();

}  // namespace strata::cpu
