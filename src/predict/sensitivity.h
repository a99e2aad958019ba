// SPDX-License-Identifier: MIT
#pragma once

#include "predict/network.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace strata {

// By how many percent a time falls for one percent more of each resource, -d ln(time) / d
// ln(resource): 1 if the resource alone decides, 0 if it does not matter.
struct Elasticities {
    std::array<double, all_resources.size()> values = {};

    double& operator[](Resource resource) { return values[static_cast<std::size_t>(resource)]; }
    double operator[](Resource resource) const {
        return values[static_cast<std::size_t>(resource)];
    }
    double sum() const;  // 1, apart from l2_size and changes of plan
};

// The value of each resource for a network and its steps.
struct Sensitivity {
    Elasticities whole;
    std::vector<Elasticities> steps;  // as NetworkPrediction::steps; zeros for steps without time
};

// Central differences of 1 % each way, with new plans.
Sensitivity sensitivity_of(const Plan& plan, const Execution& execution, const DeviceModel& device);

// A possible upgrade: one resource, or a clock, which combines arithmetic, latencies and the L2
// cache's bandwidth.
enum class Upgrade { compute, clock, l2_size, dram_bandwidth, launch, all };
inline constexpr std::array<std::string_view, 6> names_of(Upgrade) {
    return {"compute", "clock", "l2_size", "dram_bandwidth", "launch", "all"};
}

// The total time with an upgrade multiplied by each factor ("which upgrade pays", after Wang et
// al., MLSys 2020, Figure 9 and similar ones).
struct UpgradeCurve {
    Upgrade upgrade = Upgrade::compute;
    std::vector<Seconds> times;  // one for each factor
};
std::vector<UpgradeCurve> upgrades_of(const Plan& plan, const Execution& execution,
                                      const DeviceModel& device, std::span<const double> factors);

}  // namespace strata
