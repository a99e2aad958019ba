// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/gains.h"
#include "analyze/summary.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace strata {

// One or more steps worth a look, and what to try: the numbers, a sentence made from them, and a
// strata command that shows whether it helps ("" where there is none).
struct Finding {
    std::string layer = {};  // of one step
    std::string pass = {};   // "forward"
    std::string kind = {};   // "compute", "reorder"
    Seconds median = {};
    std::optional<double> share = {};         // of the sum of all steps' medians
    std::optional<Seconds> gain = {};         // at most, where there is a ceiling
    std::optional<double> gain_share = {};    // of that sum
    std::optional<Seconds> uncertainty = {};  // of the gain
    std::string sentence = {};
    std::string command = {};
};

// The largest possible gains: steps by their time beyond the ceiling, largest first, without those
// whose gain is within the uncertainty of their own time.
//   "pool1 forward takes 32.2 ms and could save at most 32 ± 0.4 ms, 4.6 % of the step: neither
//    its arithmetic ..., so examine its implementation simple_nchw:any."
// If no step has a ceiling, these are the steps with the largest times, without gains. Empty for an
// incomplete run: shares of its whole are not known.
std::vector<Finding> findings_on(const Run& run, const Summary& summary,
                                 const std::vector<StepBound>& bounds, std::size_t count = 5);

// Steps already at their ceilings that together take much of the time: only less work helps them.
//   "12 steps run at 75 % of the f32 peak or more and take 61 % of the step: ..."
std::vector<Finding> findings_at_ceilings(const Run& run, const Summary& summary,
                                          const std::vector<StepBound>& bounds);

// "With every step at its ceiling, the 700 ms of all steps would be 345 ms (49 %). This is modelled
// from the ceilings of ..." Empty where no step has a ceiling, and for an incomplete run.
std::string closing_sentence(const Run& run, const Gains& gains);

// Remarks on the run as a whole: remaining reorders, steps without an optimised kernel, missing
// ceilings. May be empty.
std::vector<std::string> general_remarks(const Run& run, const Summary& summary);

}  // namespace strata
