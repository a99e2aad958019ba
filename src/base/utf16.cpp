// SPDX-License-Identifier: MIT
#include "base/utf16.h"

#include <utf8proc.h>

#include <array>

namespace strata {

namespace {

constexpr char32_t no_character = 0xFFFD;

void append_utf8(std::string& text, char32_t character) {
    std::array<utf8proc_uint8_t, 4> bytes = {};
    const auto count = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes.data());
    text.append(bytes.begin(), bytes.begin() + count);
}

}  // namespace

std::string Utf16Decoder::decoded(std::string_view bytes) {
    std::string text;
    for (const char byte : bytes) {
        half_unit_ += byte;
        if (half_unit_.size() == 2) {
            const auto high = static_cast<unsigned char>(half_unit_[is_big_endian_ ? 0 : 1]);
            const auto low = static_cast<unsigned char>(half_unit_[is_big_endian_ ? 1 : 0]);
            take((static_cast<char32_t>(high) << 8) | low, text);
            half_unit_.clear();
        }
    }
    return text;
}

void Utf16Decoder::take(char32_t unit, std::string& text) {
    const bool is_high = unit >= 0xD800 && unit < 0xDC00;
    const bool is_low = unit >= 0xDC00 && unit < 0xE000;
    if (high_ != 0 && !is_low) {
        append_utf8(text, no_character);
    }
    if (is_low) {
        append_utf8(
            text, high_ != 0 ? 0x10000 + ((high_ - 0xD800) << 10) + (unit - 0xDC00) : no_character);
    } else if (!is_high) {
        append_utf8(text, unit);
    }
    high_ = is_high ? unit : 0;
}

}  // namespace strata
