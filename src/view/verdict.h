// SPDX-License-Identifier: MIT
#pragma once

#include "report/document.h"
#include "view/steps.h"

#include <string>
#include <vector>

namespace strata {

// The answer, before everything else:
//   "alexnet, batch 8, training: 376 ms, at 62 % of the machine's ceilings. Most could be saved in
//    convolution with 77 % of the time at 55 % of its ceilings: 582 ± 40 ms of the 873 ms that
//    would be saved at the ceilings."
std::string lead_of(const RunFindings& findings);

// The reasons to doubt the run's numbers, if any.
Doubts doubts_of(const Run& run);

// Warnings that must precede any number, one paragraph each: a step is missing, or the run was
// interrupted.
std::vector<Block> warning_blocks(const Run& run);

// The largest possible gains with commands to try, their total, the steps near their ceilings, and
// remarks on the run as a whole.
std::vector<Block> advice_blocks(const RunFindings& findings);

}  // namespace strata
