// SPDX-License-Identifier: MIT
#include "base/unit_text.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace strata {

namespace {

struct UnitPrefix {
    std::string_view text;
    double factor;
    bool is_binary = false;
};

// (The powers of 1000 are in ascending order.)
constexpr std::array unit_prefixes = {
    UnitPrefix{"n", 1e-9},          UnitPrefix{"u", 1e-6},
    UnitPrefix{"m", 1e-3},          UnitPrefix{"", 1},
    UnitPrefix{"k", 1e3},           UnitPrefix{"M", 1e6},
    UnitPrefix{"G", 1e9},           UnitPrefix{"T", 1e12},
    UnitPrefix{"P", 1e15},          UnitPrefix{"Ki", 0x1p10, true},
    UnitPrefix{"Mi", 0x1p20, true}, UnitPrefix{"Gi", 0x1p30, true},
    UnitPrefix{"Ti", 0x1p40, true}, UnitPrefix{"Pi", 0x1p50, true},
};

constexpr const UnitPrefix* no_prefix = &unit_prefixes[3];
constexpr std::string_view currency = "USD";  // nobody writes a price in milli-dollars

std::optional<double> factor_of(std::string_view prefix) {
    const auto* const found =
        std::ranges::find(unit_prefixes, prefix == "K" ? "k" : prefix, &UnitPrefix::text);
    return found == unit_prefixes.end() ? std::nullopt : std::optional(found->factor);
}

// "1.5 GiB" as 1.5 and "GiB".
struct NumberAndUnit {
    double number;
    std::string_view unit;
};

std::optional<NumberAndUnit> split_unit(std::string_view text) {
    const std::string_view whole = trim(text);
    const auto end = whole.find_last_of("0123456789.");
    if (end == std::string_view::npos) {
        return {};
    }
    const auto number = parse_number(trim(whole.substr(0, end + 1)));
    return number ? std::optional(NumberAndUnit{*number, trim(whole.substr(end + 1))})
                  : std::nullopt;
}

std::optional<double> positive_product(double number, double factor) {
    const double value = number * factor;
    return number > 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// The largest prefix, starting at this one, that leaves at least one digit before the point when
// three digits are shown.
const UnitPrefix& prefix_for(double value, const UnitPrefix* smallest) {
    const UnitPrefix* best = value > 0 ? smallest : no_prefix;
    for (const UnitPrefix* prefix = smallest; !prefix->is_binary; ++prefix) {
        if (value >= 0.9995 * prefix->factor) {
            best = prefix;
        }
    }
    return *best;
}

int decimals_of_three_digits(double value) {
    return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

}  // namespace

std::optional<double> parse_with_unit(std::string_view text, std::string_view unit) {
    const auto split = split_unit(text);
    if (!split || !split->unit.ends_with(unit)) {
        return {};
    }
    // (A number without a unit is a count; 2k is not a valid count.)
    const std::string_view prefix = split->unit.substr(0, split->unit.size() - unit.size());
    const auto factor = unit.empty() && !prefix.empty() ? std::nullopt : factor_of(prefix);
    return factor ? positive_product(split->number, *factor) : std::nullopt;
}

std::string text_with_unit(double value, std::string_view unit) {
    const bool takes_prefix = !unit.empty() && !unit.starts_with(currency);
    const UnitPrefix& prefix = takes_prefix ? prefix_for(value, unit_prefixes.data()) : *no_prefix;
    const double scaled = value / prefix.factor;
    const int decimals = scaled == std::round(scaled) ? 0 : decimals_of_three_digits(scaled);
    const std::string number = fmt::format("{:.{}f}", scaled, decimals);
    return unit.empty() ? number : fmt::format("{} {}{}", number, prefix.text, unit);
}

std::optional<Bytes> parse_byte_size(std::string_view text) {
    const auto split = split_unit(text);
    if (!split) {
        return {};
    }
    std::string_view prefix = split->unit;
    if (prefix.ends_with('B')) {
        prefix.remove_suffix(1);
    }
    const auto factor = factor_of(prefix);
    const auto bytes =
        factor && *factor >= 1 ? positive_product(split->number, *factor) : std::nullopt;
    return bytes ? std::optional(Bytes{*bytes}) : std::nullopt;
}

std::string byte_size_text(Bytes bytes) {
    const UnitPrefix& prefix = prefix_for(bytes.value, no_prefix);
    const double scaled = bytes.value / prefix.factor;
    const int decimals = &prefix == no_prefix ? 0 : decimals_of_three_digits(scaled);
    return fmt::format("{:.{}f} {}B", scaled, decimals, prefix.text);
}

}  // namespace strata
