// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/gains.h"
#include "analyze/summary.h"

#include <string>
#include <vector>

namespace strata {

// "With every step at its ceiling, the 700 ms of all steps would be 345 ms (49 %). This is modelled
// from the ceilings of ..." Empty if no step has a ceiling or the run is incomplete.
std::string closing_sentence(const Run& run, const Reach& all);

// Remarks on the run as a whole: remaining reorders, steps without an optimised kernel, missing
// ceilings. May be empty.
std::vector<std::string> general_remarks(const Run& run, const Summary& summary);

}  // namespace strata
