// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
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

// The value of the first line "name : value" or "name: value", trimmed, as in the kernel's files;
// nothing if there is no such line.
std::optional<std::string> field_of(std::string_view text, std::string_view name);

// Shell-style match of a whole name: * any run, ? any character, comma separates alternatives.
bool matches_glob(std::string_view pattern, std::string_view name);

// The candidate nearest to a misspelt word by edit distance, if one is near enough to be what was
// meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// A foreign name made safe for a terminal and a one-line message: invisible controls and broken
// UTF-8 become '?', and a name longer than `limit` bytes is cut with an ellipsis.
std::string printable(std::string_view foreign, std::size_t limit = 120);

// One character of a text, or one byte if the text is not valid UTF-8 there.
struct CodePoint {
    char32_t value = 0;
    std::size_t length = 1;  // in bytes
    bool valid = false;
};

// The first character of a text: shortest forms only, no surrogates, nothing above U+10FFFF.
// Requires: the text is not empty.
CodePoint decode_utf8(std::string_view text);

// Whether a character does not show but changes how its neighbours are read: the controls C0 and
// C1, line and paragraph separators, directions, joiners, tags, fillers and the byte order mark.
bool is_invisible_control(char32_t value);

// Whether it is any kind of blank, including tab and line feed.
bool is_blank(char32_t value);

// Terminal columns that a character takes: two for East Asian wide characters and emoji, none for
// combining marks.
std::size_t width_of(char32_t value);

// Whether all characters are printable ASCII, as in most text: each is unchanged and takes one
// column.
bool is_plain_ascii(std::string_view text);

}  // namespace strata
