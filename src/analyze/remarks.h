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

// A step worth a look, or several, and what to try: the numbers, a sentence made of them, and a
// command of strata that shows whether it helps ("" where there is none).
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

// Where most can be won: the steps by what they take beyond their ceilings, largest first, without
// those whose gain is within the uncertainty of their own time.
//   "pool1 forward takes 32.2 ms and could save at most 32 ± 0.4 ms, 4.6 % of the step: neither
//    its arithmetic ..., so look at its implementation simple_nchw:any."
// Where no step has a ceiling they are the heaviest, and nothing is said of gains. Of an incomplete
// run nothing: what would be won of the whole, or weighs most in it, is not known.
std::vector<Finding> findings_on(const Run& run, const Summary& summary,
                                 const std::vector<StepBound>& bounds, std::size_t count = 5);

// Steps that are at their ceilings already and weigh much together: only less work helps them.
//   "12 steps run at 75 % of the f32 peak or more and take 61 % of the step: ..."
std::vector<Finding> findings_at_ceilings(const Run& run, const Summary& summary,
                                          const std::vector<StepBound>& bounds);

// "With every step at its ceiling the 700 ms of the steps would be 345 ms (49 %): modelled from
// the ceilings of ..., ... " Empty where no step has a ceiling, and of an incomplete run.
std::string closing_sentence(const Run& run, const Gains& gains);

// What concerns the run as a whole: reorders left over, steps without an optimised kernel,
// missing ceilings. Empty where there is nothing to say.
std::vector<std::string> general_remarks(const Run& run, const Summary& summary);

}  // namespace strata
