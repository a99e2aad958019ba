// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strata {

// Well-formed UTF-8 without anything that could steer a terminal or reorder a page: broken
// sequences become U+FFFD, control and bidirectional characters '?', and any blank a space.
std::string clean_text(std::string_view foreign);

// The terminal columns that the text occupies: two for East Asian wide characters and emoji, none
// for combining marks. Requires: clean text.
std::size_t display_width(std::string_view text);

// The text in at most `width` columns, its middle replaced by an ellipsis: names of layers differ
// at their ends. Requires: clean text.
std::string shorten(std::string_view text, std::size_t width);

// The text broken at blanks into lines of at most `width` columns; a longer word keeps its own
// line.
std::string wrap(std::string_view text, std::size_t width, std::string_view indent = "");

// For terminals limited to ASCII: the signs that strata prints are spelled out ("±" as "+-");
// anything else beyond ASCII becomes '?'.
std::string to_ascii(std::string_view text);

// The text repeated.
std::string repeat(std::string_view text, std::size_t times);

}  // namespace strata
