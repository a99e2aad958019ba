// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace strata::cpu {

// exp(x) within two units in the last place, 0 below -87 and no more than exp(88): without calls or
// branches, so that loops over it are vectorised. exp(x) = 2^n exp(r) with n = round(x / log 2) and
// |r| <= log(2) / 2, where the polynomial is Cephes' (Moshier 1989).
[[gnu::always_inline]] inline float fast_exp(float x) {
    constexpr float rounding = 0x1.8p23F;  // adding, then subtracting it rounds
    constexpr float log2_high = 0.693359375F, log2_low = -2.12194440e-4F;
    const float bounded = std::min(std::max(x, -87.0F), 88.0F);
    const float shifted = bounded * 1.44269504F + rounding;
    const float n = shifted - rounding;
    const float r = bounded - n * log2_high - n * log2_low;
    float p = 1.9875691500e-4F;
    p = p * r + 1.3981999507e-3F;
    p = p * r + 8.3334519073e-3F;
    p = p * r + 4.1665795894e-2F;
    p = p * r + 1.6666665459e-1F;
    p = p * r + 5.0000001201e-1F;
    p = p * r * r + r + 1.0F;
    const auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23;
    return x < -87.0F ? 0.0F : p * std::bit_cast<float>(exponent);
}

// The greater of two values. Compilers do not vectorise loops over std::max, which takes
// references.
[[gnu::always_inline]] inline float greater_of(float a, float b) {
    return a < b ? b : a;
}

}  // namespace strata::cpu
