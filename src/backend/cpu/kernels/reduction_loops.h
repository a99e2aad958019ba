// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cpu/kernels/reduction_plan.h"
#include "op/reduction.h"

namespace strata::cpu {

// y = the statistic of each result's terms. Threads divide the results, or, if those are too few,
// the terms.
void reduce(ReductionKind kind, const ReductionPlan& plan, const float* x, float* y);

// dx = dy d(statistic)/dx, with the terms x and the results y. Of several equal extremes the first
// gets the whole gradient.
void reduce_gradient(ReductionKind kind, const ReductionPlan& plan, const float* x, const float* y,
                     const float* dy, float* dx);

}  // namespace strata::cpu
