// SPDX-License-Identifier: MIT
#include "predict/sensitivity.h"

#include "base/error.h"

#include <cmath>
#include <numeric>

namespace strata {

namespace {

constexpr double small_step = 0.01;

std::vector<Resource> resources_in(Upgrade upgrade) {
    switch (upgrade) {
        case Upgrade::compute:
            return {Resource::compute};
        case Upgrade::clock:
            return {Resource::compute, Resource::latency, Resource::l2_bandwidth};
        case Upgrade::l2_size:
            return {Resource::l2_size};
        case Upgrade::dram_bandwidth:
            return {Resource::dram_bandwidth};
        case Upgrade::launch:
            return {Resource::launch};
        case Upgrade::all:
            return {all_resources.begin(), all_resources.end()};
    }
    return {};
}

double elasticity(Seconds with_less, Seconds with_more) {
    if (!(with_less > Seconds{}) || !(with_more > Seconds{})) {
        return 0;
    }
    return std::log(with_less / with_more) / std::log((1 + small_step) / (1 - small_step));
}

}  // namespace

double Elasticities::sum() const {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

Sensitivity sensitivity_of(const Plan& plan, const Execution& execution,
                           const DeviceModel& device) {
    Sensitivity found;
    for (const Resource resource : all_resources) {
        const NetworkPrediction less =
            predict_network(plan, execution, *device.scaled(resource, 1 - small_step));
        const NetworkPrediction more =
            predict_network(plan, execution, *device.scaled(resource, 1 + small_step));
        check(less.steps.size() == more.steps.size(), "a device does not change a schedule");
        found.whole[resource] = elasticity(less.time(), more.time());
        found.steps.resize(more.steps.size());
        for (std::size_t i = 0; i < more.steps.size(); ++i) {
            found.steps[i][resource] = elasticity(less.steps[i].time(), more.steps[i].time());
        }
    }
    return found;
}

std::vector<UpgradeCurve> upgrades_of(const Plan& plan, const Execution& execution,
                                      const DeviceModel& device, std::span<const double> factors) {
    std::vector<UpgradeCurve> curves;
    for (std::size_t i = 0; i < names_of(Upgrade{}).size(); ++i) {
        UpgradeCurve curve{.upgrade = static_cast<Upgrade>(i), .times = {}};
        for (const double factor : factors) {
            auto upgraded = device.scaled(Resource::compute, 1);
            for (const Resource resource : resources_in(curve.upgrade)) {
                upgraded = upgraded->scaled(resource, factor);
            }
            curve.times.push_back(predict_network(plan, execution, *upgraded).time());
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

}  // namespace strata
