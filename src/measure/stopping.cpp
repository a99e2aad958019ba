// SPDX-License-Identifier: MIT
#include "measure/stopping.h"

#include <algorithm>
#include <limits>

namespace strata {
namespace {

double precision_of(const Samples& samples) {
    if (samples.values.size() < min_samples_for_interval) {
        return std::numeric_limits<double>::infinity();
    }
    return relative_half_width(estimate(samples.values));
}

std::size_t samples_in(const SampledIteration& sampled) {
    return std::min(sampled.end_to_end.values.size(), sampled.instrumented.values.size());
}

}  // namespace

double precision_of(const SampledIteration& sampled) {
    const double whole =
        std::max(precision_of(sampled.end_to_end), precision_of(sampled.instrumented));
    return sampled.parts.empty() ? whole : std::max(whole, precision_of(sum_of_parts(sampled)));
}

std::optional<StopReason> Stopping::decide(const SampledIteration& sampled, Seconds spent) {
    const std::size_t samples = samples_in(sampled);
    if (samples >= next_look_) {
        look(sampled, samples);
    }
    const bool is_enough = samples >= policy_.min_samples && spent >= policy_.min_time;
    if (is_enough && is_precise()) {
        return StopReason::precise;
    }
    if (spent < policy_.max_time) {
        return {};
    }
    look(sampled, samples);
    return is_precise() ? StopReason::precise : StopReason::budget;
}

void Stopping::look(const SampledIteration& sampled, std::size_t samples) {
    precision_ = precision_of(sampled);
    next_look_ = samples + std::max<std::size_t>(1, samples / 4);
}

}  // namespace strata
