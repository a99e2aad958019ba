// SPDX-License-Identifier: MIT
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace strata {

namespace {

std::size_t sequence_length(unsigned char lead) {
    if (lead < 0x80) {
        return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
        return 0;
    }
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

bool is_scalar(char32_t value, std::size_t length) {
    constexpr std::array<char32_t, 5> minimum = {0, 0, 0x80, 0x800, 0x10000};
    return value >= minimum[length] && value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
}

// First and last of each range.
constexpr std::array<std::pair<char32_t, char32_t>, 11> steering = {{{0x00, 0x1F},
                                                                     {0x7F, 0x9F},
                                                                     {0xAD, 0xAD},
                                                                     {0x061C, 0x061C},
                                                                     {0x180E, 0x180E},
                                                                     {0x200B, 0x200F},
                                                                     {0x2028, 0x202E},
                                                                     {0x2060, 0x206F},
                                                                     {0xFEFF, 0xFEFF},
                                                                     {0xFFF9, 0xFFFB},
                                                                     {0xE0000, 0xE0FFF}}};

}  // namespace

CodePoint decode_utf8(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t length = sequence_length(lead);
    if (length == 0 || length > text.size()) {
        return {};
    }
    char32_t value = length == 1 ? lead : lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if ((byte & 0xC0) != 0x80) {
            return {};
        }
        value = (value << 6) | (byte & 0x3Fu);
    }
    const bool valid = is_scalar(value, length);
    return {value, valid ? length : 1, valid};
}

bool is_invisible_control(char32_t value) {
    return std::ranges::any_of(
        steering, [&](const auto& range) { return value >= range.first && value <= range.second; });
}

bool is_plain_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

}  // namespace strata
