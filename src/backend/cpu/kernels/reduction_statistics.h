// SPDX-License-Identifier: MIT
#pragma once

#include "op/reduction.h"

#include <cstdint>

namespace strata::cpu {

// The loops that accumulate one statistic, compiled for each instruction set: the start value,
// reducing a row of terms to one value, accumulating a row of terms into as many results, and
// combining two parts. `shift` is subtracted before an exponential; across results there is one per
// result, or none.
struct StatisticLoops {
    float start = 0;
    float (*along)(const float* x, std::int64_t count, float shift) = nullptr;
    void (*across)(const float* x, std::int64_t count, const float* shift,
                   float* results) = nullptr;
    float (*join)(float a, float b) = nullptr;
};

// The loops over the terms themselves; for log_sum_exp, those of the maximum, which comes first.
StatisticLoops loops_of(ReductionKind kind);

// The sum of exp(x - shift).
StatisticLoops exponential_loops();

}  // namespace strata::cpu
