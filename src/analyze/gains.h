// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace strata {

// What a step takes beyond its ceiling, the most that a better kernel could win:
//   gain = median - bound = median * (1 - share of the ceiling)
// A ceiling is what the best of kernels reached on the machine, which this layer's shape may not
// allow: "at most".
struct Gain {
    std::size_t step = 0;  // its index in Run::steps
    Seconds gain;
    double share = 0;                         // of the sum of all steps' medians
    std::optional<Seconds> uncertainty = {};  // the wider side of the median's interval; a single
                                              // sample and a model's answer have none

    // Whether the step is known to be that far from its ceiling.
    bool is_certain() const { return !uncertainty || gain > *uncertainty; }
};

// The gains of a run. A step beyond its ceiling (fewer operations than are counted, or served by a
// nearer cache) has none; steps without a ceiling, aliases apart, keep their time.
struct Gains {
    std::vector<Gain> steps = {};  // largest first, those above 0
    Seconds median = {};           // the sum of all steps' medians
    Seconds at_ceilings = {};      // the same, each step at its ceiling
    Seconds unjudged = {};         // of the median: steps without a ceiling that do work
    bool is_judged = false;  // whether any step has a ceiling; else none of this says anything
};

Gains gains_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds);

// What some steps together could win.
struct Reach {
    Seconds median = {};
    Seconds gain = {};
    bool has_ceiling = false;    // whether one of them has
    bool lacks_ceiling = false;  // whether one of them that does work has none

    // What they would take at their ceilings over what they take; nothing where one lacks its
    // ceiling, or where they are aliases, which have none.
    std::optional<double> achieved() const;
};

// Adds a step: nothing where it has no time.
void add(Reach& reach, const StepResult& step, const StepTime& time, const StepBound& bound);

}  // namespace strata
