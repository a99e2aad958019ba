// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// More values than this are taken for a typing error.
inline constexpr std::size_t max_range_values = 1000;

// Whole numbers from a text such as
//   128..2048     doubled from the first on; the last always belongs to it
//   128..512+64   in steps of 64
//   1,2,4,16..64  a list of these
// in ascending order without repetition. Throws Error with exit code usage that names `what`
// ("--batch").
std::vector<std::int64_t> parse_range(std::string_view text, std::string_view what);

// The same for a list that an option has already split at its commas.
std::vector<std::int64_t> parse_ranges(const std::vector<std::string>& items,
                                       std::string_view what);

}  // namespace strata
