// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace strata {

// A value that a hardware counter, or a formula of counters, has for a piece of work. What could
// not be counted has no value and a reason, and is never 0.
struct MetricResult {
    std::string name = {};
    std::string unit = {};
    std::optional<double> value = {};
    std::string reason = {};  // why there is no value; empty where there is one

    bool operator==(const MetricResult&) const = default;
};

}  // namespace strata
