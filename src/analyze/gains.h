// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace strata {

// The time of a step beyond its ceiling, the most that a better kernel could save:
//   gain = median - bound = median * (1 - share of the ceiling)
// A ceiling is what the best kernel reached on this machine. The layer's shape may not allow it,
// hence "at most".
struct Gain {
    std::size_t step = 0;  // its index in Run::steps
    Seconds gain;
    double share = 0;                         // of the sum of all steps' medians
    std::optional<Seconds> uncertainty = {};  // the wider side of the median's interval; a single
                                              // sample and a model's answer have none

    // Whether the gain exceeds its uncertainty.
    bool is_certain() const { return !uncertainty || gain > *uncertainty; }
};

// The gains of a run. A step beyond its ceiling (fewer operations than are counted, or served by a
// nearer cache) has none; steps without a ceiling, aliases apart, keep their time.
struct Gains {
    std::vector<Gain> steps = {};  // largest first, those above 0
    Seconds median = {};           // the sum of all steps' medians
    Seconds at_ceilings = {};      // the same, each step at its ceiling
    Seconds unjudged = {};         // part of the median: steps with work but without a ceiling
    bool is_judged = false;  // whether any step has a ceiling; if not, the rest is meaningless
};

Gains gains_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds);

// What a group of steps could save.
struct Reach {
    Seconds median = {};
    Seconds gain = {};
    bool has_ceiling = false;    // whether one of them has
    bool lacks_ceiling = false;  // whether one of them that does work has none

    // Their time at the ceilings over their time; nothing where a step lacks its ceiling, or where
    // all are aliases, which have none.
    std::optional<double> achieved() const;
};

// Adds a step; a step without a time adds nothing.
void add(Reach& reach, const StepResult& step, const StepTime& time, const StepBound& bound);

}  // namespace strata
