// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata::cuda {

// Division by a number known before the launch, as a multiplication and a shift instead of the
// hundred instructions of a 64-bit division on a GPU (Granlund and Montgomery 1994). Numerators of
// 2^31 and more take the slow path.
class Divisor {
public:
    constexpr Divisor() = default;
    // Requires: divisor > 0.
    constexpr explicit Divisor(std::int64_t divisor) : divisor_(divisor) {
        if (divisor >= fast_end) {
            return;
        }
        while ((std::int64_t{1} << shift_) < divisor) {
            ++shift_;
        }
        const std::uint64_t excess =
            (std::uint64_t{1} << shift_) - static_cast<std::uint64_t>(divisor);
        multiplier_ =
            static_cast<std::uint32_t>((excess << 32U) / static_cast<std::uint64_t>(divisor) + 1);
    }

    constexpr std::int64_t value() const { return divisor_; }
    constexpr std::int64_t quotient(std::int64_t n) const {
        if (n >= fast_end || divisor_ >= fast_end) {
            return n / divisor_;
        }
        const auto small = static_cast<std::uint32_t>(n);
        const auto high = static_cast<std::uint32_t>(std::uint64_t{small} * multiplier_ >> 32U);
        return (high + small) >> shift_;
    }

    // Of numbers that are known to be below 2^31, by another such number.
    constexpr int small_quotient(int n) const {
        const auto small = static_cast<std::uint32_t>(n);
        const auto high = static_cast<std::uint32_t>(std::uint64_t{small} * multiplier_ >> 32U);
        return static_cast<int>((high + small) >> shift_);
    }
    constexpr int small_remainder(int n) const {
        return n - small_quotient(n) * static_cast<int>(divisor_);
    }

private:
    static constexpr std::int64_t fast_end = std::int64_t{1} << 31;

    std::int64_t divisor_ = 1;
    std::uint32_t multiplier_ = 1;
    std::uint32_t shift_ = 0;
};

}  // namespace strata::cuda
