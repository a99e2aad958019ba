// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

// Functions whose loops a compiler can vectorise, unlike those over calls of <cmath>.
namespace strata::cpu {

// e^x within 2 units of the last place for x in [-87, 88], and its value at the nearer end outside
// of that: x = n ln 2 + r, e^r by Taylor's series of degree 7 (|r| <= ln 2 / 2: 5e-9 of e^r is
// left out), times 2^n written into the exponent.
[[gnu::always_inline]] inline float exponential(float x) {
    constexpr float maximum = 88.0F, minimum = -87.0F;
    constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it removes the fraction
    constexpr float high = 0.693359375F, low = -2.12194440e-4F;  // ln 2 in two parts
    x = x > maximum ? maximum : x;
    x = x < minimum ? minimum : x;
    const float shifted = x * 1.44269504F + round;
    const float n = shifted - round;
    const float r = (x - n * high) - n * low;
    float sum = 1.0F / 5040;
    sum = sum * r + 1.0F / 720;
    sum = sum * r + 1.0F / 120;
    sum = sum * r + 1.0F / 24;
    sum = sum * r + 1.0F / 6;
    sum = sum * r + 0.5F;
    sum = sum * r + 1.0F;
    sum = sum * r + 1.0F;
    const auto exponent = (static_cast<std::int32_t>(n) + 127) * (1 << 23);
    return sum * std::bit_cast<float>(exponent);
}

[[gnu::always_inline]] inline float logistic(float x) {
    return 1.0F / (1.0F + exponential(-x));
}

// Absolute error below 2e-7; results near zero are not relatively accurate.
[[gnu::always_inline]] inline float hyperbolic_tangent(float x) {
    return 1.0F - 2.0F / (1.0F + exponential(2.0F * x));
}

}  // namespace strata::cpu
