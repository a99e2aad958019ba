// SPDX-License-Identifier: MIT
#include "analyze/gains.h"

#include <algorithm>

namespace strata {

namespace {

// In runs of earlier versions an alias has a time, that of the time stamp.
Seconds gain_of(const StepResult& step, Seconds median, const StepBound& bound) {
    const Seconds ceiling = is_alias(step) ? Seconds{} : bound.bound.value_or(median);
    return std::max(Seconds{}, median - ceiling);
}

std::optional<Seconds> uncertainty_of(const Estimate& time) {
    return time.samples < 2
               ? std::nullopt
               : std::optional(std::max(time.high - time.median, time.median - time.low));
}

void add_uncertainty(std::optional<Seconds>& whole, const std::optional<Seconds>& part) {
    if (part) {
        whole = whole.value_or(Seconds{}) + *part;
    }
}

}  // namespace

std::optional<double> Reach::achieved() const {
    return has_ceiling && !lacks_ceiling && median > Seconds{}
               ? std::optional((median - gain) / median)
               : std::nullopt;
}

void Reach::add(const StepResult& step, const StepTime& time, const StepBound& bound) {
    if (!time.time) {
        return;
    }
    const Seconds added = gain_of(step, time.time->median, bound);
    const bool is_judged = bound.bound || is_alias(step);
    const bool lacks = !is_judged && !bound.executes_fewer;
    median += time.time->median;
    gain += added;
    if (added > Seconds{}) {
        add_uncertainty(uncertainty, uncertainty_of(*time.time));
    }
    unjudged += is_judged ? Seconds{} : time.time->median;
    has_ceiling = has_ceiling || bound.bound.has_value();
    lacks_ceiling = lacks_ceiling || lacks;
}

void Reach::add(const Reach& other) {
    median += other.median;
    gain += other.gain;
    add_uncertainty(uncertainty, other.uncertainty);
    unjudged += other.unjudged;
    has_ceiling = has_ceiling || other.has_ceiling;
    lacks_ceiling = lacks_ceiling || other.lacks_ceiling;
}

Reach reach_of(const Run& run, const Summary& summary, const std::vector<StepBound>& bounds) {
    Reach all;
    for (std::size_t i = 0; i < run.steps.size(); ++i) {
        all.add(run.steps[i], summary.steps[i], bounds[i]);
    }
    return all;
}

}  // namespace strata
