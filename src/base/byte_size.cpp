// SPDX-License-Identifier: MIT
#include "base/byte_size.h"

#include "base/text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace strata {

namespace {

constexpr std::string_view prefixes = "kMGTP";

// Of "GB", "GiB", "G", "B" and "".
std::optional<double> factor_of(std::string_view unit) {
    if (unit.ends_with('B')) {
        unit.remove_suffix(1);
    }
    const bool binary = unit.ends_with('i');
    if (binary) {
        unit.remove_suffix(1);
    }
    if (unit.empty()) {
        return binary ? std::nullopt : std::optional(1.0);
    }
    const auto power = prefixes.find(unit[0] == 'K' ? 'k' : unit[0]);
    if (unit.size() > 1 || power == std::string_view::npos) {
        return std::nullopt;
    }
    return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

std::optional<Bytes> parse_byte_size(std::string_view text) {
    const std::string_view whole = trim(text);
    const auto end = whole.find_last_of("0123456789.");
    if (end == std::string_view::npos) {
        return std::nullopt;
    }
    const auto number = parse_number(trim(whole.substr(0, end + 1)));
    const auto factor = factor_of(trim(whole.substr(end + 1)));
    if (!number || !factor || !(*number > 0) || !std::isfinite(*number * *factor)) {
        return std::nullopt;
    }
    return Bytes{*number * *factor};
}

std::string byte_size_text(Bytes bytes) {
    double value = bytes.value;
    std::string unit = "B";
    for (std::size_t i = 0; i < prefixes.size() && value >= 999.5; ++i) {
        value /= 1000;
        unit = std::string(1, prefixes[i]) + "B";
    }
    const int decimals = unit == "B" || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                   std::chars_format::fixed, decimals);
    return std::string(digits.data(), end.ptr) + " " + unit;
}

}  // namespace strata
