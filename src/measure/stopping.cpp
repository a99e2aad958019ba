// SPDX-License-Identifier: MIT
#include "measure/stopping.h"

#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace strata {
namespace {

constexpr std::size_t min_iterations_to_judge = 8;
constexpr double settled_within = 0.01;
constexpr Seconds longest_settling{2};

Seconds run_timed(Iteration& iteration) {
    std::vector<Seconds> ignored(iteration.parts());
    return iteration.run_timed(ignored);
}

}  // namespace

bool has_settled(std::span<const Seconds> times) {
    if (times.size() < min_iterations_to_judge) {
        return false;
    }
    const std::size_t quarter = times.size() / 4;
    const Seconds last = median_of(times.last(quarter));
    const Seconds before = median_of(times.last(2 * quarter).first(quarter));
    return std::abs((last - before).value) <= settled_within * before.value;
}

void warm_up(Iteration& iteration, const Policy& policy, Clock& clock,
             const std::function<bool()>& stop_requested) {
    const Seconds begin = clock.now();
    const Seconds enough = std::min(longest_settling, policy.max_time / 10);
    const Seconds maximum = policy.max_time / 4;
    std::vector<Seconds> times;
    while (policy.warmup > 0 && !stop_requested()) {
        times.push_back(times.empty() ? run_timed(iteration) : iteration.run());
        const Seconds spent = clock.now() - begin;
        const bool required = times.size() < policy.warmup && spent < maximum;
        if (!required && (spent >= enough || has_settled(times))) {
            return;
        }
    }
}

double precision_of(const Samples& samples) {
    if (samples.values.size() < min_samples_for_interval) {
        return std::numeric_limits<double>::infinity();
    }
    return relative_half_width(estimate(samples));
}

double precision_of(const SampledIteration& sampled) {
    const double whole =
        std::max(precision_of(sampled.end_to_end), precision_of(sampled.instrumented));
    return sampled.parts.empty() ? whole : std::max(whole, precision_of(sum_of_parts(sampled)));
}

std::optional<StopReason> Stopping::decide(const SampledIteration& sampled, Seconds spent) {
    return decide(std::min(sampled.end_to_end.values.size(), sampled.instrumented.values.size()),
                  spent, [&] { return precision_of(sampled); });
}

std::optional<StopReason> Stopping::decide(std::size_t samples, Seconds spent,
                                           const std::function<double()>& precision) {
    if (samples >= next_look_) {
        look(samples, precision());
    }
    const bool is_enough = samples >= policy_.min_samples && spent >= policy_.min_time;
    if (is_enough && is_precise()) {
        return StopReason::precise;
    }
    if (spent < policy_.max_time) {
        return {};
    }
    look(samples, precision());
    return is_precise() ? StopReason::precise : StopReason::budget;
}

void Stopping::look(std::size_t samples, double precision) {
    precision_ = precision;
    next_look_ = samples + std::max<std::size_t>(1, samples / 4);
}

}  // namespace strata
