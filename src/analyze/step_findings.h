// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/next_command.h"
#include "analyze/rollup.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Steps worth a look, and what to try: the numbers, a sentence made from them, and the strata
// command that tries the remedy ("" if there is none). Steps with the same bound and advice are one
// finding, so that no advice appears twice.
struct Finding {
    std::string layers = {};     // "conv2–conv5"
    std::string operation = {};  // "" for several
    std::string pass = {};       // "forward"; "" for several
    std::string kind = {};       // "compute", "reorder"
    std::size_t steps = 0;
    Seconds median = {};
    std::optional<double> share = {};         // of the sum of all steps' medians
    std::optional<Seconds> gain = {};         // an upper bound, if there is a ceiling
    std::optional<double> gain_share = {};    // of that sum
    std::optional<Seconds> uncertainty = {};  // of the gain
    Advice advice = {};                       // its saving covers all the steps
    std::string sentence = {};
};

// The largest possible gains: steps by their time beyond their ceilings, largest first. A gain
// within the uncertainty of its time says so and has no command.
//   "conv2–conv5 (11 steps) take 412 ms and would save 182 ± 20 ms at their ceilings, 26 % of the
//   step: they
//    are bound by arithmetic, but only at 56 % of the f32 peak. By winograd-4x4-3x3, and whatever
//    else is faster, about 150 ms are commonly saved."
// If no step has a ceiling, these are the families with the largest times, without gains. Empty for
// an incomplete run: shares of its total are unknown.
std::vector<Finding> findings_on(const Run& run, const Summary& summary,
                                 const std::vector<StepBound>& bounds, std::size_t count = 5);

// Steps already at their ceilings that together take much of the time: only less work helps them.
// Commands of earlier findings are not repeated.
//   "12 steps run at 75 % of the f32 peak or more and take 61 % of the step ..."
std::vector<Finding> findings_at_ceilings(const Run& run, const Summary& summary,
                                          const std::vector<StepBound>& bounds,
                                          std::span<const Finding> earlier = {});

// The operator, among those of rolled_up, whose steps together could save the most; nothing if no
// step could save anything.
std::optional<StepGroup> largest_gain(const Run& run, const Summary& summary,
                                      const std::vector<StepBound>& bounds);

// The same as a sentence: "convolution with 77 % of the time at 55 % of its ceilings: 582 ± 40 ms
// of the 873 ms that would be saved at the ceilings". Empty if nothing could be saved.
std::string largest_gain_text(const Run& run, const Summary& summary,
                              const std::vector<StepBound>& bounds);

}  // namespace strata
