// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

namespace strata {

// One character of a text; where the text is broken, one byte of it that is none.
struct CodePoint {
    char32_t value = 0;
    std::size_t length = 1;  // in bytes
    bool valid = false;
};

// The character that a text starts with: shortest forms only, no surrogates, nothing beyond
// U+10FFFF. Requires: the text is not empty.
CodePoint decode_utf8(std::string_view text);

// Whether a character does not show but changes how its neighbours are read: the controls C0 and
// C1, line and paragraph separators, directions, joiners, tags, fillers and the byte order mark.
bool is_invisible_control(char32_t value);

// Whether it is a blank of any kind, a tab or a line's end included.
bool is_blank(char32_t value);

// Terminal columns that a character takes: two for East Asian wide characters and emoji, none for
// combining marks.
std::size_t width_of(char32_t value);

// Whether all characters are printable ASCII, as in most text: each is unchanged and takes one
// column.
bool is_plain_ascii(std::string_view text);

}  // namespace strata
