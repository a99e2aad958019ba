// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

namespace strata {

// The value of an IEEE 754 binary16 number; every one of them is a float, so nothing is lost.
constexpr float float_of_half(std::uint16_t half) {
    const std::uint32_t sign = (half & 0x8000u) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1Fu;
    const std::uint32_t fraction = half & 0x3FFu;
    if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
        const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t widened = exponent == 31 ? 255u : exponent + 112u;
    return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

// The value of a bfloat16 number: the upper half of a float.
constexpr float float_of_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace strata
