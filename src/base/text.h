// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Text without leading and trailing blanks.
std::string_view trim(std::string_view text);

// Parts between separators; empty parts are kept, so join(split(t, s), s) == t.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string join(std::span<const std::string> parts, std::string_view separator);

// Whole text as a number, or nothing: "12x" and "" are not numbers.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<double> parse_number(std::string_view text);

// The value of the first line "name : value" or "name: value", trimmed, as the kernel's files have
// them; nothing where there is none.
std::optional<std::string> field_of(std::string_view text, std::string_view name);

// Shell-style match of a whole name: * any run, ? any character, comma separates alternatives.
bool matches_glob(std::string_view pattern, std::string_view name);

// The candidate nearest to a misspelt word by edit distance, if any is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// A foreign name made safe for a terminal and a one-line message: what steers (base/utf8.h) and
// broken UTF-8 become '?', and what is longer than `limit` bytes is cut with an ellipsis.
std::string printable(std::string_view foreign, std::size_t limit = 120);

}  // namespace strata
