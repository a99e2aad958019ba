// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strata {

// "900 GB/s" in the unit "B/s", "1530MHz" in "Hz", "6 MiB" in "B", "80" in "": a positive number of
// that unit, whose prefix is one of n, u, m, k, M, G, T, P, or Ki, Mi, Gi. Nothing for other text
// and other units.
std::optional<double> parse_with_unit(std::string_view text, std::string_view unit);

// "900 GB/s": three digits, with the prefix that leaves one to three of them before the point.
std::string text_with_unit(double value, std::string_view unit);

}  // namespace strata
