// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>

namespace strata {

// Whether a value is missing because the chip has nothing of the kind to count, or because it could
// not be counted this time.
enum class Absence { not_on_chip, not_counted };

// No value, and why. It is never 0.
struct NoValue {
    std::string reason = {};
    Absence absence = Absence::not_counted;

    bool operator==(const NoValue&) const = default;
};

// The value of a counter or of a formula of counters.
using MetricValue = std::variant<double, NoValue>;

// Values of the chip's own counters, by name.
using CounterValues = std::map<std::string, MetricValue, std::less<>>;

}  // namespace strata
