// SPDX-License-Identifier: MIT
#include "simulate/stack_distance.h"

#include "simulate/cache.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace strata::testing {

namespace {

std::vector<std::uint32_t> some_tiles(std::size_t count, std::uint32_t different) {
    std::mt19937 random(5);
    std::vector<std::uint32_t> tiles(count);
    for (std::uint32_t& tile : tiles) {
        const auto number = static_cast<std::uint32_t>(random());
        tile = number % (number % 3 == 0 ? different : different / 8);
    }
    return tiles;
}

TEST(DistanceHistogram, IsExactForSmallDistancesAndWithinOneIn4096ForLargeOnes) {
    for (const std::uint64_t distance : {0ULL, 1ULL, 4095ULL, 8191ULL}) {
        DistanceHistogram histogram;
        histogram.add(distance, 3);
        histogram.each([&](std::uint64_t found, std::uint64_t times) {
            EXPECT_EQ(found, distance);
            EXPECT_EQ(times, 3U);
        });
    }
    for (const std::uint64_t distance : {8192ULL, 8193ULL, 123456789ULL, (1ULL << 40) + 12345}) {
        DistanceHistogram histogram;
        histogram.add(distance, 1);
        histogram.each([&](std::uint64_t found, std::uint64_t) {
            EXPECT_LE(found, distance);
            EXPECT_LT(distance - found, distance / 4096 + 1);
        });
    }
}

// A cache of one set is fully associative, so both engines must agree on every hit.
TEST(StackDistances, ATileOfALineHasTheHitsOfAFullyAssociativeCache) {
    const auto tiles = some_tiles(5000, 64);
    TileStackDistances distances(64);
    for (const std::uint32_t tile : tiles) {
        distances.touch(tile, 1);
    }
    for (const int lines : {1, 2, 5, 11, 16}) {
        SetAssociativeCache cache({static_cast<std::size_t>(lines), lines});
        cache.read(tiles);
        EXPECT_DOUBLE_EQ(distances.hit_rate(lines), static_cast<double>(cache.counts().hits()) /
                                                        static_cast<double>(tiles.size()));
    }
    EXPECT_EQ(distances.compulsory_misses(), std::set(tiles.begin(), tiles.end()).size());
}

TEST(StackDistances, TheLinesOfATileHaveTheDistanceOfAllOfThem) {
    TileStackDistances distances(3);
    distances.touch(0, 10);
    distances.touch(1, 5);
    distances.touch(0, 10);  // distance 5 + 10 lines: hits with 15
    distances.touch(0, 10);  // 10 suffice
    EXPECT_EQ(distances.accesses(), 35U);
    EXPECT_EQ(distances.compulsory_misses(), 15U);
    EXPECT_DOUBLE_EQ(distances.hit_rate(9), 0);
    EXPECT_DOUBLE_EQ(distances.hit_rate(10), 10.0 / 35);
    EXPECT_DOUBLE_EQ(distances.hit_rate(14), 10.0 / 35);
    EXPECT_DOUBLE_EQ(distances.hit_rate(15), 20.0 / 35);
}

// Many more touches than slots, so that gaps are closed again and again.
TEST(StackDistances, DoNotDependOnTheNumberOfPossibleTiles) {
    const auto tiles = some_tiles(60000, 5000);
    TileStackDistances few(5000), many(400000);
    for (const std::uint32_t tile : tiles) {
        few.touch(tile, 1 + tile % 7);
        many.touch(tile, 1 + tile % 7);
    }
    for (const double lines : {10.0, 300.0, 2000.0, 9000.0}) {
        EXPECT_DOUBLE_EQ(few.hit_rate(lines), many.hit_rate(lines)) << lines;
        EXPECT_DOUBLE_EQ(few.hit_rate(lines, 16), many.hit_rate(lines, 16)) << lines;
    }
}

TEST(StackDistances, SetsCostHitsBelowTheWorkingSetAndNothingFarAboveIt) {
    TileStackDistances distances(100);
    for (int round = 0; round < 50; ++round) {
        for (std::uint32_t tile = 0; tile < 100; ++tile) {
            distances.touch(tile, 10);
        }
    }
    EXPECT_DOUBLE_EQ(distances.hit_rate(1000), 0.98);
    EXPECT_LT(distances.hit_rate(1000, 16), 0.7);
    EXPECT_NEAR(distances.hit_rate(4000, 16), 0.98, 1e-4);
    EXPECT_GT(distances.hit_rate(800, 16), distances.hit_rate(800));
}

TEST(StackDistances, WithoutTouchesNothingHits) {
    const TileStackDistances distances(4);
    EXPECT_EQ(distances.hit_rate(10), 0);
    EXPECT_EQ(distances.hit_rate(10, 4), 0);
}

}  // namespace

}  // namespace strata::testing
