// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"
#include "report/document.h"

namespace strata {

// How the parts make up the whole, line by line to the last:
//
//   part                              time [ms]  of end to end [%]
//   sum of the steps                198.2 ± 0.4               99.1
//   + between the steps               0.9                      0.5
//   − cost of the time stamps         0.5                      0.3
//   = end to end                    198.6 ± 0.5                100
//   residual (end to end − steps)     0.4                      0.2
//
// "between" is the instrumented iteration less its steps; the cost of the stamps is that iteration
// less the uninstrumented one, and may come out negative within the noise.
// Where caches were prepared (Budget::is_comparable) it closes with the instrumented iteration, and
// the end to end time stands by itself.
Table budget_table(const Budget& budget, Provenance provenance);

}  // namespace strata
