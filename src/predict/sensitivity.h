// SPDX-License-Identifier: MIT
#pragma once

#include "predict/network.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// By how many percent a time falls for a percent more of each resource, d ln(time) / d ln(resource)
// with the sign turned: 1 where the resource alone decides, 0 where it does not matter.
struct Elasticities {
    std::array<double, all_resources.size()> values = {};

    double& operator[](Resource resource) { return values[static_cast<std::size_t>(resource)]; }
    double operator[](Resource resource) const {
        return values[static_cast<std::size_t>(resource)];
    }
    double sum() const;  // 1, but for l2_size and for changes of plan
};

// What each resource is worth for a network and its steps.
struct Sensitivity {
    Elasticities whole;
    std::vector<Elasticities>
        steps;  // as NetworkPrediction::steps; zeros where a step takes no time
};

// Central differences of 1 % each way, planned anew.
Sensitivity sensitivity_of(const Graph& graph, const Execution& execution,
                           const DeviceModel& device);

// What may be bought: one resource, or a clock, which is arithmetic, latencies and the L2 cache's
// bandwidth together.
enum class Upgrade { compute, clock, l2_size, dram_bandwidth, launch, all };
inline constexpr std::array<std::string_view, 6> names_of(Upgrade) {
    return {"compute", "clock", "l2_size", "dram_bandwidth", "launch", "all"};
}

// The time of the whole with so many times as much of an upgrade ("which upgrade pays", after Wang
// et al., MLSys 2020, Figure 9 and its like).
struct UpgradeCurve {
    Upgrade upgrade = Upgrade::compute;
    std::vector<Seconds> times;  // one for each factor
};
std::vector<UpgradeCurve> upgrades_of(const Graph& graph, const Execution& execution,
                                      const DeviceModel& device, std::span<const double> factors);

}  // namespace strata
