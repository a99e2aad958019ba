// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <utf8proc.h>

#include <algorithm>

namespace strata {

CodePoint decode_utf8(std::string_view text) {
    utf8proc_int32_t value = 0;
    const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                         static_cast<utf8proc_ssize_t>(text.size()), &value);
    if (length <= 0) {
        return {};
    }
    return {static_cast<char32_t>(value), static_cast<std::size_t>(length), true};
}

bool is_invisible_control(char32_t value) {
    const auto* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(value));
    switch (property->category) {
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        // A variation selector chooses a glyph of the character before it.
        case UTF8PROC_CATEGORY_MN:
            return false;
        default:
            return property->ignorable;
    }
}

bool is_blank(char32_t value) {
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(value))) {
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return true;
        default:
            return (value >= '\t' && value <= '\r') || value == 0x85;
    }
}

std::size_t width_of(char32_t value) {
    return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(value)));
}

bool is_plain_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

}  // namespace strata
