// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace strata {

// Converts UTF-16 to UTF-8 piece by piece: a piece may end within a unit or a pair. Invalid units
// become U+FFFD.
class Utf16Decoder {
public:
    explicit Utf16Decoder(bool is_big_endian) : is_big_endian_(is_big_endian) {}

    std::string decoded(std::string_view bytes);

private:
    void take(char32_t unit, std::string& text);

    bool is_big_endian_;
    std::string half_unit_ = {};  // a unit's first byte, if a piece ended after it
    char32_t high_ = 0;           // a pair's first unit, likewise
};

}  // namespace strata
