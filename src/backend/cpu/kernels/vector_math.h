// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

// Functions that a compiler can vectorise in loops, unlike calls of <cmath>.
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

// x^y for finite x > 0 and finite y, within one unit of the last place: 2^(y log2 x) in double,
// whose 53 bits leave enough of the product. log2 by the series of the inverse hyperbolic tangent
// (of at most 0.172: 2e-12 is left out), 2^f by Taylor's of degree 8 (|f| <= 1/2: 3e-10).
[[gnu::always_inline]] inline float power_of_positive(float x, float y) {
    constexpr std::uint64_t mantissa = (std::uint64_t{1} << 52) - 1;
    constexpr double counted = 4503599627370496.0;  // 2^52: its last bits are those of an integer
    constexpr double round = 1.5 * counted;         // adding it removes the fraction
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(x));
    double exponent = std::bit_cast<double>((bits >> 52) | 0x4330000000000000U) - (counted + 1023);
    double fraction = std::bit_cast<double>((bits & mantissa) | 0x3FF0000000000000U);
    const bool is_upper = fraction > 1.4142135623730951;
    fraction = is_upper ? 0.5 * fraction : fraction;
    exponent = is_upper ? exponent + 1 : exponent;
    const double s = (fraction - 1) / (fraction + 1);
    const double square = s * s;
    double series = 1.0 / 13;
    series = series * square + 1.0 / 11;
    series = series * square + 1.0 / 9;
    series = series * square + 1.0 / 7;
    series = series * square + 1.0 / 5;
    series = series * square + 1.0 / 3;
    series = series * square + 1.0;
    constexpr double ln2 = 0.69314718055994530942;
    double log = static_cast<double>(y) * (exponent + s * series * (2 / ln2));
    log = log > 200 ? 200 : log;  // overflows as a float
    log = log < -200 ? -200 : log;
    const double shifted = log + round;
    const double f = (log - (shifted - round)) * ln2;
    double sum = 1.0 / 40320;
    sum = sum * f + 1.0 / 5040;
    sum = sum * f + 1.0 / 720;
    sum = sum * f + 1.0 / 120;
    sum = sum * f + 1.0 / 24;
    sum = sum * f + 1.0 / 6;
    sum = sum * f + 0.5;
    sum = sum * f + 1.0;
    sum = sum * f + 1.0;
    const std::uint64_t scale = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    return static_cast<float>(sum * std::bit_cast<double>(scale));
}

}  // namespace strata::cpu
