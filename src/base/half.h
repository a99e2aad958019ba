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

// The half nearest to a float, ties to even; larger values become infinite.
constexpr std::uint16_t half_of_float(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) {
        return static_cast<std::uint16_t>(sign | 0x7E00u);  // NaN
    }
    if (magnitude >= 0x477FF000u) {  // 65520, halfway past the largest half
        return static_cast<std::uint16_t>(sign | 0x7C00u);
    }
    if (magnitude < 0x38800000u) {  // below 2^-14 halves are multiples of 2^-24, the last
                                    // place of a float once added to 0.5
        const float sum = std::bit_cast<float>(magnitude) + 0.5f;
        return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) & 0x7FFFu));
    }
    const std::uint32_t rounded = magnitude + 0xFFFu + ((magnitude >> 13) & 1u);
    return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000u) >> 13));
}

// The value of a bfloat16 number: the upper half of a float.
constexpr float float_of_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// The bfloat16 nearest to a float, ties to even.
constexpr std::uint16_t bfloat16_of_float(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) {
        return static_cast<std::uint16_t>((bits >> 16) |
                                          0x40u);  // NaN, and still NaN when truncated
    }
    return static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace strata
