// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"

#include <optional>
#include <vector>

namespace strata {

// What a group of steps could save. The gain of a step is its time beyond its ceiling, the most
// that a better kernel could save:
//   gain = median - bound = median * (1 - share of the ceiling)
// A ceiling is what the best kernel reached on this machine. The layer's shape may not allow it,
// hence "at most". A step beyond its ceiling (fewer operations than are counted, or served by a
// nearer cache) has no gain; steps without a ceiling, aliases apart, keep their time.
struct Reach {
    Seconds median = {};
    Seconds gain = {};
    // Of the gain: the sum of the wider sides of the medians' intervals, as if all steps erred
    // alike. Nothing where no step with a gain has one: single samples and models' answers.
    std::optional<Seconds> uncertainty = {};
    Seconds unjudged = {};       // part of the median: steps with work but without a ceiling
    bool has_ceiling = false;    // whether one of them has
    bool lacks_ceiling = false;  // whether one of them that does work has none

    // Their time at the ceilings over their time; nothing where a step lacks its ceiling, or where
    // all are aliases, which have none.
    std::optional<double> achieved() const;

    // Whether the gain exceeds its uncertainty.
    bool is_certain() const { return !uncertainty || gain > *uncertainty; }

    // Adds a step; a step without a time adds nothing.
    void add(const StepResult& step, const StepTime& time, const StepBound& bound);
    void add(const Reach& other);
};

// All steps of a run together. Its times say nothing of gains unless it has a ceiling.
Reach reach_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds);

}  // namespace strata
