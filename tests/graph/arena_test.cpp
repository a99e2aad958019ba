// SPDX-License-Identifier: MIT
#include "base/random.h"
#include "graph/memory.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

std::vector<Lifetime> random_lifetimes(std::size_t count, std::uint64_t seed) {
    const RandomStream random(seed, 0);
    std::vector<Lifetime> lifetimes;
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = static_cast<std::size_t>(random.bits(3 * i) % 100);
        const auto length = static_cast<std::size_t>(random.bits(3 * i + 1) % 20);
        const auto size = static_cast<double>(random.bits(3 * i + 2) % 5000);
        lifetimes.push_back({Bytes{size}, first, first + length});
    }
    return lifetimes;
}

bool alive_together(const Lifetime& a, const Lifetime& b) {
    return a.first_task <= b.last_task && b.first_task <= a.last_task;
}

// The maximum alive at one task: no plan can use less.
double lower_bound(std::span<const Lifetime> lifetimes) {
    double worst = 0;
    for (std::size_t task = 0; task < 200; ++task) {
        double alive = 0;
        for (const Lifetime& lifetime : lifetimes) {
            const bool is_alive = lifetime.first_task <= task && task <= lifetime.last_task;
            alive += is_alive ? lifetime.size.value : 0;
        }
        worst = std::max(worst, alive);
    }
    return worst;
}

TEST(Arena, PiecesThatAreAliveTogetherNeverOverlap) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto lifetimes = random_lifetimes(100, seed);
        const ArenaPlan plan = plan_arena(lifetimes);
        for (std::size_t i = 0; i < lifetimes.size(); ++i) {
            const auto end = static_cast<double>(plan.offsets[i]) + lifetimes[i].size.value;
            EXPECT_LE(end, plan.size.value);
            for (std::size_t j = 0; j < i; ++j) {
                const auto other = static_cast<double>(plan.offsets[j]) + lifetimes[j].size.value;
                const bool apart = static_cast<double>(plan.offsets[j]) >= end ||
                                   static_cast<double>(plan.offsets[i]) >= other;
                EXPECT_TRUE(apart || !alive_together(lifetimes[i], lifetimes[j]));
            }
        }
    }
}

TEST(Arena, ItsSizeIsBetweenTheWorstMomentAndTheSum) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto lifetimes = random_lifetimes(100, seed);
        double sum = 0;
        for (const Lifetime& lifetime : lifetimes) {
            sum += lifetime.size.value + 63;
        }
        const double size = plan_arena(lifetimes).size.value;
        EXPECT_GE(size, lower_bound(lifetimes));
        EXPECT_LE(size, 1.5 * lower_bound(lifetimes));
        EXPECT_LE(size, sum);
    }
}

TEST(Arena, OffsetsAreAligned) {
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{4096}}) {
        for (const std::size_t offset : plan_arena(random_lifetimes(50, 3), alignment).offsets) {
            EXPECT_EQ(offset % alignment, 0U);
        }
    }
}

TEST(Arena, APieceTakesThePlaceOfOneThatIsGone) {
    const std::vector<Lifetime> lifetimes = {
        {Bytes{64}, 0, 1}, {Bytes{64}, 1, 2}, {Bytes{64}, 2, 3}};
    const ArenaPlan plan = plan_arena(lifetimes);
    EXPECT_EQ(plan.size.value, 128);
    EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
}

TEST(Arena, NoPiecesNeedNoMemory) {
    EXPECT_EQ(plan_arena({}).size.value, 0);
}

TEST(Arena, SizesBeyondTheAddressSpaceAreRefused) {
    const std::vector<Lifetime> lifetimes(4, {Bytes{0x1p61}, 0, 1});
    EXPECT_EQ(error_of([&] { plan_arena(lifetimes); }),
              "the network needs more memory than can be addressed; choose a smaller batch");
}

}  // namespace
}  // namespace strata
