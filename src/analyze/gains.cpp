// SPDX-License-Identifier: MIT
#include "analyze/gains.h"

#include <algorithm>

namespace strata {

namespace {

// In runs of earlier versions an alias has a time: that of the time stamp.
Seconds gain_of(const StepResult& step, Seconds median, const StepBound& bound) {
    const Seconds ceiling = is_alias(step) ? Seconds{} : bound.bound.value_or(median);
    return std::max(Seconds{}, median - ceiling);
}

std::optional<Seconds> uncertainty_of(const Estimate& time) {
    return time.samples < 2
               ? std::nullopt
               : std::optional(std::max(time.high - time.median, time.median - time.low));
}

}  // namespace

std::optional<double> Reach::achieved() const {
    return has_ceiling && !lacks_ceiling && median > Seconds{}
               ? std::optional((median - gain) / median)
               : std::nullopt;
}

void add(Reach& reach, const StepResult& step, const StepTime& time, const StepBound& bound) {
    if (time.time) {
        reach.median += time.time->median;
        reach.gain += gain_of(step, time.time->median, bound);
        reach.has_ceiling = reach.has_ceiling || bound.bound.has_value();
        reach.lacks_ceiling = reach.lacks_ceiling || !(bound.bound || is_alias(step));
    }
}

Gains gains_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds) {
    Gains gains;
    Reach all;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        const auto& time = summary.steps[i].time;
        add(all, run.steps[i], summary.steps[i], bounds[i]);
        if (time && !bounds[i].bound && !is_alias(run.steps[i])) {
            gains.unjudged += time->median;
        }
        if (time && bounds[i].headroom > Seconds{}) {
            gains.steps.push_back(
                {.step = i, .gain = *bounds[i].headroom, .uncertainty = uncertainty_of(*time)});
        }
    }
    gains.median = all.median;
    gains.at_ceilings = all.median - all.gain;
    gains.is_judged = all.has_ceiling;
    for (Gain& gain : gains.steps) {
        gain.share = gain.gain / gains.median;
    }
    std::ranges::stable_sort(gains.steps, std::greater<>(), &Gain::gain);
    return gains;
}

}  // namespace strata
