// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/budget.h"
#include "report/document.h"

namespace strata {

// How the parts add up to the whole, line by line:
//
//   part                              time [ms]  of end to end [%]
//   sum of the steps                198.2 ± 0.4               99.1
//   + between the steps           0.90 ± 0.02                  0.5
//   − cost of the time stamps                –¹                  –
//   = end to end                    198.6 ± 0.5                100
//   residual (end to end − steps)            –²                  –
//   ¹ none detected (below ± 0.5 ms)
//
// "between" is the instrumented iteration minus its steps; the cost of the stamps is that iteration
// minus the uninstrumented one. A difference whose interval contains 0 was not detected. If
// iterations with time stamps are faster beyond noise, the line says so and adds. For a framework,
// a residual above 5 % is explained below:
//
//   ¹ A step that does nothing takes 51 µs: calling the framework for 41 steps takes 2.1 ms.
//   ² The steps add up to 18 % more than an iteration without instruments. Calling the framework
//   for
//     each explains 12 % of that. Each layer is a separate graph ...
//
// If caches were prepared (Budget::is_comparable), the budget closes with the instrumented
// iteration, and the end to end time is listed separately.
Table budget_table(const Budget& budget, Provenance provenance);

}  // namespace strata
