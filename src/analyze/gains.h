// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/bottleneck.h"
#include "analyze/summary.h"

#include <optional>
#include <vector>

namespace strata {

// The possible saving of a group of steps. The gain of a step is its time beyond its ceiling, the
// most that a better kernel could save:
//   gain = median - bound = median * (1 - share of the ceiling)
// A ceiling is the best kernel's rate on this machine. The layer's shape may not allow it, hence
// "at most". A step beyond its ceiling (fewer operations than counted, or served by a nearer cache)
// has no gain. Steps without a ceiling are apart (`unjudged`): those known only with delays, and
// convolutions that execute an unknown number of operations, fewer than counted.
struct Reach {
    Seconds median = {};
    Seconds gain = {};
    // The gain's uncertainty: the sum of the wider sides of the medians' intervals, as if all steps
    // erred alike. Nothing if no step with a gain has an interval: single samples and modelled
    // times.
    std::optional<Seconds> uncertainty = {};
    Seconds unjudged = {};       // part of the median: steps with work but without a ceiling
    bool has_ceiling = false;    // whether a step has a ceiling
    bool lacks_ceiling = false;  // whether a step with work has none, and is not known to be fast

    // The time at the ceilings over the time; nothing if a step lacks its ceiling or all are
    // aliases, which have none.
    std::optional<double> achieved() const;

    // The part of the median whose steps have ceilings, and its time at these.
    Seconds judged() const { return median - unjudged; }
    Seconds at_ceilings() const { return judged() - gain; }

    // Whether the gain exceeds its uncertainty.
    bool is_certain() const { return !uncertainty || gain > *uncertainty; }

    // Adds a step; a step without a time adds nothing.
    void add(const StepResult& step, const StepTime& time, const StepBound& bound);
    void add(const Reach& other);
};

// All steps of a run together. Without ceilings its times tell nothing about gains.
Reach reach_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds);

}  // namespace strata
