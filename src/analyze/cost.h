// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/observed.h"
#include "device/description.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The costs of a platform besides time; nothing if no source states them.
struct PlatformCost {
    std::optional<DollarsPerHour> price = {};
    std::optional<Watts> power = {};  // maximum power: energies are upper bounds
};

// The cost of one run's examples in money and energy.
struct RunCost {
    const Observation* run = nullptr;
    double examples_per_second = 0;
    std::optional<double> dollars = {};  // for a million examples
    std::optional<double> joules = {};   // likewise, at most
    // Whether no other run of this network and mode is at least as fast and as cheap, and better in
    // one of them. Nothing without a price.
    std::optional<bool> is_on_front = {};

    std::optional<double> examples_per_dollar() const;
    std::optional<double> examples_per_joule() const;
};

// The costs of the runs that have a time. Requires: the runs outlive it.
std::vector<RunCost> costs_of(
    std::span<const Observation* const> runs,
    const std::function<PlatformCost(const Observation& run)>& cost_of_platform);

}  // namespace strata
