// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace strata {

// The output function of SplitMix64 (Steele, Lea and Flood 2014, as Vigna published it): a
// bijection of 64 bits that leaves no visible relation between neighbours.
constexpr std::uint64_t mix_bits(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
}

// An endless sequence of random numbers without a state: element `index` depends only on seed,
// stream and index, so that any thread can draw any element and every machine draws the same. Only
// integer arithmetic and exact conversions are used: the results are equal to the last bit
// everywhere.
class RandomStream {
public:
    constexpr RandomStream(std::uint64_t seed, std::uint64_t stream)
        : key_(mix_bits(mix_bits(seed + golden) ^ stream)) {}

    constexpr std::uint64_t bits(std::uint64_t index) const {
        return mix_bits(key_ + golden * (index + 1));
    }

    // Uniform in [0, 1), a multiple of 2^-53.
    constexpr double uniform(std::uint64_t index) const {
        return static_cast<double>(bits(index) >> 11) * 0x1p-53;
    }

    // Uniform in [-1, 1), a multiple of 2^-23.
    constexpr float symmetric(std::uint64_t index) const {
        return static_cast<float>(bits(index) >> 40) * 0x1p-23F - 1.0F;
    }

    // Mean 0, variance 1, bell-shaped: the sum of four 16-bit uniforms (Irwin-Hall). It ends at
    // 3.46 deviations, which initial weights never miss, costs two nanoseconds and, unlike
    // Box-Muller, does not depend on a mathematical library.
    constexpr float normal(std::uint64_t index) const {
        const std::uint64_t word = bits(index);
        const auto sum = static_cast<std::int32_t>((word & 0xFFFF) + ((word >> 16) & 0xFFFF) +
                                                   ((word >> 32) & 0xFFFF) + (word >> 48));
        constexpr std::int32_t twice_the_mean_of_one = 0xFFFF;
        return static_cast<float>(sum - 2 * twice_the_mean_of_one) * inverse_deviation;
    }

private:
    static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    // One over sqrt(4 (2^32 - 1) / 12), the deviation of that sum.
    static constexpr float inverse_deviation = 2.6428997e-5F;

    std::uint64_t key_;
};

}  // namespace strata
