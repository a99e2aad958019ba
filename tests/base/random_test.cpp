// SPDX-License-Identifier: MIT
#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

namespace strata {
namespace {

constexpr std::uint64_t draws = 1 << 18;

// The mean of a power of the drawn values.
double moment(int power, const std::function<double(std::uint64_t)>& draw) {
    double sum = 0;
    for (std::uint64_t i = 0; i < draws; ++i) {
        sum += std::pow(draw(i), power);
    }
    return sum / static_cast<double>(draws);
}

// The first outputs of SplitMix64 from state 1234567, as Rosetta Code and Vigna's program give
// them.
TEST(Random, MixingIsSplitMix64) {
    constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
    EXPECT_EQ(mix_bits(1234567 + golden), 6457827717110365317U);
    EXPECT_EQ(mix_bits(1234567 + 2 * golden), 3203168211198807973U);
}

TEST(Random, AnElementDependsOnlyOnSeedStreamAndIndex) {
    const RandomStream stream(1, 2);
    const std::uint64_t third = stream.bits(3);
    EXPECT_NE(stream.bits(4), third);
    EXPECT_EQ(RandomStream(1, 2).bits(3), third);
    EXPECT_NE(RandomStream(2, 2).bits(3), third);
    EXPECT_NE(RandomStream(1, 3).bits(3), third);
    EXPECT_NE(RandomStream(2, 1).bits(3), third);
}

TEST(Random, UniformNumbersHaveTheMomentsOfTheUnitInterval) {
    const RandomStream stream(1, 0);
    const auto draw = [&](std::uint64_t i) { return stream.uniform(i); };
    EXPECT_NEAR(moment(1, draw), 1.0 / 2, 0.003);
    EXPECT_NEAR(moment(2, draw), 1.0 / 3, 0.003);
}

TEST(Random, SymmetricNumbersStayInTheirHalfOpenInterval) {
    const RandomStream stream(1, 1);
    for (std::uint64_t i = 0; i < draws; ++i) {
        ASSERT_GE(stream.symmetric(i), -1);
        ASSERT_LT(stream.symmetric(i), 1);
    }
    EXPECT_NEAR(moment(1, [&](std::uint64_t i) { return stream.symmetric(i); }), 0, 0.005);
}

TEST(Random, NormalNumbersHaveMeanZeroVarianceOneAndNearlyNormalTails) {
    const RandomStream stream(7, 3);
    const auto draw = [&](std::uint64_t i) { return stream.normal(i); };
    EXPECT_NEAR(moment(1, draw), 0, 0.01);
    EXPECT_NEAR(moment(2, draw), 1, 0.01);
    EXPECT_NEAR(moment(3, draw), 0, 0.02);
    EXPECT_NEAR(moment(4, draw), 3 - 0.3, 0.05);  // Irwin-Hall of 4: excess kurtosis -6/5/4
}

TEST(Random, NeighboursAndStreamsAreUncorrelated) {
    const RandomStream one(5, 1), other(5, 2);
    const auto neighbours = [&](std::uint64_t i) { return one.normal(i) * one.normal(i + 1); };
    const auto streams = [&](std::uint64_t i) { return one.normal(i) * other.normal(i); };
    EXPECT_NEAR(moment(1, neighbours), 0, 0.01);
    EXPECT_NEAR(moment(1, streams), 0, 0.01);
}

TEST(Random, EveryBitIsSetHalfOfTheTime) {
    const RandomStream stream(1, 9);
    std::array<int, 64> ones{};
    for (std::uint64_t i = 0; i < draws; ++i) {
        const std::uint64_t word = stream.bits(i);
        for (std::size_t bit = 0; bit < ones.size(); ++bit) {
            ones[bit] += static_cast<int>((word >> bit) & 1);
        }
    }
    for (const int count : ones) {
        EXPECT_NEAR(count / static_cast<double>(draws), 0.5, 0.006);
    }
}

}  // namespace
}  // namespace strata
