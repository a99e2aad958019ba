// SPDX-License-Identifier: MIT
#include "base/unit_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace strata {

namespace {

struct UnitPrefix {
    std::string_view text;
    double factor;
};

constexpr std::array unit_prefixes = {
    UnitPrefix{"", 1},        UnitPrefix{"n", 1e-9},    UnitPrefix{"u", 1e-6},
    UnitPrefix{"m", 1e-3},    UnitPrefix{"k", 1e3},     UnitPrefix{"M", 1e6},
    UnitPrefix{"G", 1e9},     UnitPrefix{"T", 1e12},    UnitPrefix{"P", 1e15},
    UnitPrefix{"Ki", 0x1p10}, UnitPrefix{"Mi", 0x1p20}, UnitPrefix{"Gi", 0x1p30},
};

std::optional<double> unit_factor(std::string_view prefixed, std::string_view unit) {
    if (!prefixed.ends_with(unit)) {
        return {};
    }
    prefixed.remove_suffix(unit.size());
    for (const UnitPrefix& prefix : unit_prefixes) {
        // (A number without a unit is a count, of which 2k is none.)
        if (prefixed == prefix.text && (!unit.empty() || prefix.text.empty())) {
            return prefix.factor;
        }
    }
    return {};
}

}  // namespace

std::optional<double> parse_with_unit(std::string_view text, std::string_view unit) {
    const std::string_view whole = trim(text);
    const auto end = whole.find_last_of("0123456789.");
    if (end == std::string_view::npos) {
        return {};
    }
    const auto number = parse_number(trim(whole.substr(0, end + 1)));
    const auto factor = unit_factor(trim(whole.substr(end + 1)), unit);
    if (!number || !factor || !(*number > 0) || !std::isfinite(*number * *factor)) {
        return {};
    }
    return *number * *factor;
}

std::string text_with_unit(double value, std::string_view unit) {
    const UnitPrefix* best = &unit_prefixes.front();
    for (const UnitPrefix& prefix : unit_prefixes) {
        const bool is_decimal = prefix.text.size() < 2;
        // (Beyond the rounding to three digits.)
        if (!unit.empty() && is_decimal && value >= 0.9995 * prefix.factor &&
            (prefix.factor > best->factor || value < 0.9995 * best->factor)) {
            best = &prefix;
        }
    }
    const double scaled = value / best->factor;
    const int decimals = scaled == std::round(scaled) || scaled >= 99.95 ? 0
                         : scaled >= 9.995                               ? 1
                                                                         : 2;
    const std::string number = fmt::format("{:.{}f}", scaled, decimals);
    return unit.empty() ? number : fmt::format("{} {}{}", number, best->text, unit);
}

}  // namespace strata
