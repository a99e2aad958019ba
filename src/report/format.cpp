// SPDX-License-Identifier: MIT
#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace strata {

namespace {

struct Prefix {
    double factor;
    std::string_view sign;
};

constexpr std::array<Prefix, 9> prefixes = {{{1e15, "P"},
                                             {1e12, "T"},
                                             {1e9, "G"},
                                             {1e6, "M"},
                                             {1e3, "k"},
                                             {1, ""},
                                             {1e-3, "m"},
                                             {1e-6, "µ"},
                                             {1e-9, "n"}}};

constexpr std::array<std::string_view, 6> scaled_units = {"s", "FLOP", "B", "FLOP/s", "B/s", "Hz"};

bool takes_prefix(std::string_view unit) {
    return std::ranges::find(scaled_units, unit) != scaled_units.end();
}

// Long times stay in seconds, and there are no thousandths of a byte.
bool allows(std::string_view unit, const Prefix& prefix) {
    return unit == "s" ? prefix.factor <= 1 : prefix.factor >= 1;
}

constexpr int max_decimals = 9;

// A value rounded to a few significant digits: mantissa * 10^exponent.
struct Rounded {
    double mantissa = 0;
    int exponent = 0;
};

// Goes through text, so that 0.99996 has the exponent of 1 and binary noise does not matter.
Rounded rounded(double value, int digits) {
    const std::string text = fmt::format("{:.{}e}", value, digits - 1);
    const auto cut = text.find('e');
    return {std::atof(text.substr(0, cut).c_str()), std::atoi(text.substr(cut + 1).c_str())};
}

// Decimals that show `digits` significant digits of a value.
int decimals_for(double value, int digits) {
    return value == 0 ? 0
                      : std::clamp(digits - 1 - rounded(value, digits).exponent, 0, max_decimals);
}

// Decimals that show an interval's half width with one digit, or two if one would be coarse.
int decimals_for_half_width(double half) {
    return decimals_for(half, rounded(half, 2).mantissa < 2.95 ? 2 : 1);
}

double half_width(const Number& number) {
    const double below = number.low ? number.value - *number.low : 0;
    const double above = number.high ? *number.high - number.value : 0;
    return std::max(std::abs(below), std::abs(above));
}

int decimals_of(double value, double half) {
    if (half <= 0 || !std::isfinite(half)) {
        // Far below the column's scale a single digit is enough: 0.00002, not 0.0000213.
        const int three_digits = decimals_for(value, 3);
        return three_digits <= 4 ? three_digits
                                 : std::min(three_digits, std::max(4, decimals_for(value, 1)));
    }
    const int minimum = decimals_for(value, 2);
    const int maximum = std::min(decimals_for(value, 4), std::max(3, minimum));
    return std::clamp(decimals_for_half_width(half), minimum, maximum);
}

std::string half_width_text(double half, int decimals) {
    const double last_digit = std::pow(10, -decimals);
    return half < last_digit / 2 ? fmt::format(" ± <{:.{}f}", last_digit, decimals)
                                 : fmt::format(" ± {:.{}f}", half, decimals);
}

// If one side is much wider than the other, a single half width is wrong for both; below a tenth of
// the value that does not matter.
constexpr double half_that_matters = 0.1;
constexpr double lopsided_from = 1.5;

// Whether "value ± half" would misrepresent the interval: as symmetric, or as reaching below 0.
bool needs_both_ends(const Number& number) {
    if (!number.low || !number.high) {
        return false;
    }
    const double below = number.value - *number.low, above = *number.high - number.value;
    const double wider = std::max(below, above), narrower = std::min(below, above);
    const bool lopsided =
        wider > half_that_matters * std::abs(number.value) && wider > lopsided_from * narrower;
    return lopsided || (*number.low >= 0 && number.value < wider);
}

std::string interval_text(const Number& number, double factor, int decimals) {
    if ((!number.low && !number.high) || !std::isfinite(half_width(number))) {
        return "";
    }
    return needs_both_ends(number) ? fmt::format(" [{:.{}f}, {:.{}f}]", *number.low / factor,
                                                 decimals, *number.high / factor, decimals)
                                   : half_width_text(half_width(number) / factor, decimals);
}

std::string with_separators(std::string digits) {
    const auto first = static_cast<std::ptrdiff_t>(digits.starts_with('-') ? 1 : 0);
    for (auto at = std::ssize(digits) - 3; at > first; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

bool is_count(const Number& number) {
    return number.unit.empty() && !number.low && !number.high && std::abs(number.value) < 9e15 &&
           number.value == std::round(number.value);
}

// Modelled and imported numbers are marked, so that neither passes for a measurement.
std::string_view mark_of(Provenance provenance) {
    return provenance == Provenance::modelled ? "≈" : provenance == Provenance::imported ? "'" : "";
}

// Shares with one decimal; a share that would round to 0 is marked as smaller.
std::string percent_text(double value) {
    if (value != 0 && std::abs(value) < 0.05) {
        return value > 0 ? "<0.1" : ">-0.1";
    }
    return fmt::format("{:.{}f}", value, std::min(decimals_for(value, 3), 1));
}

// Whether to use an exponent: nobody wants to count the zeros of errors and the like.
bool is_tiny(const Number& number) {
    return number.unit.empty() && !number.low && !number.high && number.value != 0 &&
           std::abs(number.value) < 1e-4;
}

// "2.4e-7"
std::string power_text(double value) {
    const std::string text = fmt::format("{:.1e}", value);
    const auto power = text.find('e');
    return fmt::format("{}e{}", text.substr(0, power), std::stoi(text.substr(power + 1)));
}

struct Parts {
    std::string value;
    std::string interval;
};

Parts parts_of(const Number& number, const Scale& scale) {
    const std::string mark(mark_of(number.provenance));
    if (is_count(number)) {
        return {mark + with_separators(fmt::format("{:.0f}", number.value)), ""};
    }
    if (number.unit == "%") {
        return {mark + percent_text(number.value),
                number.low && number.high ? fmt::format(" [{}, {}]", percent_text(*number.low),
                                                        percent_text(*number.high))
                                          : ""};
    }
    if (is_tiny(number)) {
        return {mark + power_text(number.value), ""};
    }
    const double value = number.value / scale.factor;
    const double half = half_width(number) / scale.factor;
    const int decimals = decimals_of(value, half);
    const std::string digits = fmt::format("{:.{}f}", value, decimals);
    // Numbers without a prefix may be long: counts, and rates of counts.
    return {mark + (decimals == 0 && !takes_prefix(number.unit) ? with_separators(digits) : digits),
            interval_text(number, scale.factor, decimals)};
}

}  // namespace

Scale scale_for(std::string_view unit, double magnitude) {
    magnitude = std::abs(magnitude);
    if (!takes_prefix(unit) || magnitude == 0 || !std::isfinite(magnitude)) {
        return {1, std::string(unit)};
    }
    const Prefix* chosen = nullptr;
    for (const auto& prefix : prefixes) {
        if (allows(unit, prefix)) {
            chosen = &prefix;
            // 999.96 would print as 1000: the next smaller prefix begins a little below its factor.
            if (magnitude >= prefix.factor * 0.9995) {
                break;
            }
        }
    }
    return {chosen->factor, std::string(chosen->sign) + std::string(unit)};
}

std::string number_text(const Number& number, const Scale& scale) {
    const Parts parts = parts_of(number, scale);
    return parts.value + parts.interval;
}

std::string number_text(double value, const char* unit) {
    return number_text({.value = value, .unit = unit});
}

std::string number_text(const Number& number) {
    const Scale scale = scale_for(number.unit, number.value);
    const Parts parts = parts_of(number, scale);
    return parts.value + (scale.unit.empty() ? "" : " ") + scale.unit + parts.interval;
}

bool is_missing(const Cell& cell) {
    const auto* number = std::get_if<Number>(&cell);
    return std::holds_alternative<Missing>(cell) || (number && !std::isfinite(number->value));
}

std::optional<double> value_in(const Cell& cell) {
    if (const auto* verbatim = std::get_if<Verbatim>(&cell)) {
        return verbatim->value;
    }
    const auto* number = std::get_if<Number>(&cell);
    return number != nullptr && !is_missing(cell) ? std::optional(number->value) : std::nullopt;
}

std::string cell_text(const Cell& cell) {
    if (is_missing(cell)) {
        return "–";
    }
    if (const auto* verbatim = std::get_if<Verbatim>(&cell)) {
        return verbatim->text;
    }
    const auto* text = std::get_if<std::string>(&cell);
    return text != nullptr ? *text : number_text(std::get<Number>(cell));
}

}  // namespace strata
