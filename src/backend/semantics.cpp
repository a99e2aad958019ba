// SPDX-License-Identifier: MIT
#include "backend/semantics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace strata {

namespace {

// The type's bounds are powers of two minus one; rounded to float they may exceed the range by one.
// That is harmless, because no tensor is stored in the type itself.
template <class Integer>
float cut_to(float value) {
    constexpr auto minimum = static_cast<float>(std::numeric_limits<Integer>::min());
    constexpr auto maximum = static_cast<float>(std::numeric_limits<Integer>::max());
    return std::isnan(value) ? 0.0F : std::clamp(std::trunc(value), minimum, maximum);
}

// The upper half of the float's bits, after adding half a unit of its last place.
float round_to_bfloat16(float value) {
    if (!std::isfinite(value)) {
        return value;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = bits + 0x7FFFU + ((bits >> 16) & 1U);
    return std::bit_cast<float>(rounded & 0xFFFF0000U);
}

// Rounds to a multiple of the half's unit: 2^-10 of the value's power of two, at least 2^-24.
float round_to_half(float value) {
    constexpr float largest = 65504.0F, overflow = 65520.0F;
    if (!std::isfinite(value) || value == 0) {
        return value;
    }
    if (std::abs(value) >= overflow) {
        return std::copysign(std::numeric_limits<float>::infinity(), value);
    }
    const int exponent = std::max(std::ilogb(value), -14);
    const float rounded =
        std::ldexp(std::nearbyint(std::ldexp(value, 10 - exponent)), exponent - 10);
    return std::clamp(rounded, -largest, largest);
}

}  // namespace

float cast_value(float value, DataType dtype) {
    switch (dtype) {
        case DataType::f32:
        case DataType::f64:
            return value;
        case DataType::f16:
            return round_to_half(value);
        case DataType::bf16:
            return round_to_bfloat16(value);
        case DataType::s8:
            return cut_to<std::int8_t>(value);
        case DataType::u8:
            return cut_to<std::uint8_t>(value);
        case DataType::s32:
            return cut_to<std::int32_t>(value);
        case DataType::s64:
            return cut_to<std::int64_t>(value);
        case DataType::boolean:
            return value != 0 ? 1.0F : 0.0F;
        default:  // a type that no cast has
            return value;
    }
}

}  // namespace strata
