// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"

#include <cstddef>
#include <string>
#include <vector>

namespace strata {

// The heaviest steps, a sentence each: what it takes, what bounds it with the evidence, what helps.
//   "conv2 backward_weights takes 18 % of the step (36.1 ms): it runs at 91 % of the f32 peak, so
//   only
//    a cheaper algorithm (Winograd fits its 3x3 kernel) or a lower precision helps."
std::vector<std::string> heaviest_steps(const Run& run, const Summary& summary,
                                        const std::vector<StepBound>& bounds,
                                        std::size_t count = 5);

// What concerns the run as a whole: reorders left over, steps without an optimised kernel,
// missing ceilings. Empty where there is nothing to say.
std::vector<std::string> general_remarks(const Run& run, const Summary& summary);

}  // namespace strata
