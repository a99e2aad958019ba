// SPDX-License-Identifier: MIT
#include "simulate/gemm_accesses.h"

#include "base/error.h"
#include "simulate/stack_distance.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace strata::testing {

namespace {

constexpr GemmTiling some_product{.m = 1024, .n = 768, .k = 512, .blocks_in_flight = 20};

template <class F>
void each_line(const LineTile& tile, F&& f) {
    for (std::uint32_t row = 0; row < tile.rows; ++row) {
        for (std::uint32_t i = 0; i < tile.lines_per_row; ++i) {
            f(tile.first + row * tile.pitch + i);
        }
    }
}

TEST(GemmAccesses, TheTilesCoverAllLinesOfTheThreeMatricesOnce) {
    const GemmAccesses product(some_product);
    std::set<LineNumber> lines;
    std::uint64_t count = 0;
    for (std::uint32_t number = 0; number < product.tiles(); ++number) {
        each_line(product.tile(number), [&](LineNumber line) { lines.insert(line), ++count; });
    }
    const std::uint64_t expected = (1024 * 512 + 512 * 768 + 1024 * 768) / 32;
    EXPECT_EQ(lines.size(), expected);
    EXPECT_EQ(count, expected);
    EXPECT_EQ(*lines.rbegin(), expected - 1);
}

// Each block reads its rows of A once for each step of a line's width, and its columns of B once.
TEST(GemmAccesses, EachBlockReadsItsSlicesAndEachResultIsWrittenOnce) {
    const GemmAccesses product(some_product);
    std::uint64_t reads = 0, writes = 0;
    product.visit([&](std::uint32_t number, AccessKind kind) {
        (kind == AccessKind::read ? reads : writes) += product.tile(number).lines();
    });
    const std::uint64_t blocks = 8 * 6, steps = 64;
    EXPECT_EQ(reads, blocks * steps * (128 + 8 * 4));
    EXPECT_EQ(writes, 1024U * 768 / 32);
}

// One pass over tiles against the exact simulation of every line, at sizes from almost all misses
// to almost all hits, including the steep part.
TEST(GemmAccesses, StackDistancesPredictTheExactHitRateOfEveryCapacity) {
    const GemmAccesses product({.m = 2048, .n = 2048, .k = 512, .blocks_in_flight = 100});
    TileStackDistances distances(product.tiles());
    std::vector<LineNumber> lines;
    product.visit([&](std::uint32_t number, AccessKind) {
        const LineTile tile = product.tile(number);
        distances.touch(number, tile.lines());
        each_line(tile, [&](LineNumber line) { lines.push_back(line); });
    });
    ASSERT_EQ(distances.accesses(), lines.size());
    double lowest = 1, highest = 0;
    for (const std::size_t capacity :
         {400U, 800U, 1200U, 1600U, 2000U, 2400U, 3200U, 6400U, 40000U}) {
        SetAssociativeCache cache({capacity, 16});
        cache.read(lines);
        const double exact =
            static_cast<double>(cache.counts().hits()) / static_cast<double>(lines.size());
        EXPECT_NEAR(distances.hit_rate(static_cast<double>(capacity), 16), exact, 0.005)
            << capacity;
        lowest = std::min(lowest, exact);
        highest = std::max(highest, exact);
    }
    EXPECT_LT(lowest, 0.75);
    EXPECT_GT(highest, 0.9);
}

TEST(GemmAccesses, ExtentsThatAreNotMultiplesAreRefused) {
    EXPECT_THROW(GemmAccesses({.m = 100, .n = 128, .k = 32}), Error);
    EXPECT_THROW(GemmAccesses({.m = 128, .n = 128, .k = 36}), Error);
    EXPECT_THROW(GemmAccesses({.m = 128, .n = 128, .k = 32, .blocks_in_flight = 0}), Error);
    EXPECT_THROW(GemmAccesses({.m = 1U << 30, .n = 1U << 10, .k = 1U << 10}), Error);
}

}  // namespace

}  // namespace strata::testing
