// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace strata {

// The value of a hardware counter, or of a formula of counters, for a piece of work. If it could
// not be counted, it has a reason and no value; it is never 0.
struct MetricResult {
    std::string name = {};
    std::string unit = {};
    std::optional<double> value = {};
    std::string reason = {};  // why there is no value; empty if there is one

    bool operator==(const MetricResult&) const = default;
};

}  // namespace strata
