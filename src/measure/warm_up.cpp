// SPDX-License-Identifier: MIT
#include "measure/warm_up.h"

#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
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

}  // namespace strata
