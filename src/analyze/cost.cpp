// SPDX-License-Identifier: MIT
#include "analyze/cost.h"

#include <algorithm>
#include <limits>
#include <map>

namespace strata {

namespace {

constexpr double million = 1e6;
constexpr double seconds_of_hour = 3600;

// Sorted by time, then price; a run cheaper than all before it is on the
// front.
void mark_front(std::vector<RunCost*> runs) {
    std::ranges::sort(runs, [](const RunCost* a, const RunCost* b) {
        return a->examples_per_second != b->examples_per_second
                   ? a->examples_per_second > b->examples_per_second
                   : *a->dollars < *b->dollars;
    });
    double cheapest = std::numeric_limits<double>::infinity();
    for (RunCost* run : runs) {
        run->is_on_front = *run->dollars < cheapest;
        cheapest = std::min(cheapest, *run->dollars);
    }
}

}  // namespace

std::optional<double> RunCost::examples_per_dollar() const {
    return dollars ? std::optional(million / *dollars) : std::nullopt;
}

std::optional<double> RunCost::examples_per_joule() const {
    return joules ? std::optional(million / *joules) : std::nullopt;
}

std::vector<RunCost> costs_of(
    std::span<const Observation* const> runs,
    const std::function<PlatformCost(const Observation& run)>& cost_of_platform) {
    std::vector<RunCost> costs;
    for (const Observation* run : runs) {
        if (!run->time) {
            continue;
        }
        const PlatformCost platform = cost_of_platform(*run);
        RunCost cost{
            .run = run,
            .examples_per_second = static_cast<double>(run->batch) / run->time->median.value};
        const double seconds = million / cost.examples_per_second;
        if (platform.price) {
            cost.dollars = platform.price->value / seconds_of_hour * seconds;
        }
        if (platform.power) {
            cost.joules = platform.power->value * seconds;
        }
        costs.push_back(cost);
    }
    std::map<std::pair<std::string_view, std::string_view>, std::vector<RunCost*>> rivals;
    for (RunCost& cost : costs) {
        if (cost.dollars) {
            rivals[{cost.run->network, cost.run->mode}].push_back(&cost);
        }
    }
    for (auto& [network, group] : rivals) {
        mark_front(std::move(group));
    }
    return costs;
}

}  // namespace strata
