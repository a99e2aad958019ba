// SPDX-License-Identifier: MIT
#include "parallel/step_interval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata {

namespace {

// Whether the time of exchanges among so many devices is that of measured collectives.
bool is_measured(const Cluster& cluster, const ParallelPlan& plan) {
    const Link& nearest = cluster.links.front();
    return !plan.algorithm && !nearest.measured.empty() &&
           nearest.devices.value_or(max_devices) >= plan.devices;
}

// An end of a time, and how far it is away.
struct Part {
    Seconds middle;
    TimeInterval ends;

    Seconds below() const { return middle - ends.low; }
    Seconds above() const { return ends.high - middle; }
};

// A part's time within its interval, which may be on one side of the prediction.
Part part_of(Seconds time, const TimeInterval& ends) {
    return {std::clamp(time, ends.low, ends.high), ends};
}

}  // namespace

FoundInterval interval_of(const ParallelStep& step, const NetworkPrediction& prediction,
                          const FoundInterval& alone, const Cluster& cluster,
                          const ParallelPlan& plan) {
    const Seconds computing = step.time - step.exposed;
    const double scale = computing / prediction.time();
    const Part computed = part_of(computing, {scale * alone.time.low, scale * alone.time.high});
    if (!(step.exchange > Seconds{})) {
        return {computed.ends, alone.basis};
    }
    const IntervalRule rule(
        {.problem_class = std::string(collective_class),
         .origin = is_measured(cluster, plan) ? RateOrigin::fitted : RateOrigin::prior});
    const TimeInterval exchange = rule.interval(step.exchange);
    const Part exposed =
        part_of(step.exposed, {std::max(Seconds{}, step.exposed + exchange.low - step.exchange),
                               std::max(Seconds{}, step.exposed + exchange.high - step.exchange)});
    const Seconds middle = computed.middle + exposed.middle;
    return {
        .time = {.low = middle - Seconds{std::hypot(computed.below().value, exposed.below().value)},
                 .high =
                     middle + Seconds{std::hypot(computed.above().value, exposed.above().value)}},
        .basis = fmt::format("{}; exchange: {}", alone.basis, rule.basis(step.exchange))};
}

}  // namespace strata
