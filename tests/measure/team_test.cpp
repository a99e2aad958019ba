// SPDX-License-Identifier: MIT
#include "measure/team.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <vector>

namespace strata {
namespace {

// More threads than most test machines have processors; they must still wait for each other.
constexpr std::size_t threads = 4;
const std::vector<int> processors(threads, 0);

TEST(Team, EveryRoundButTheFirstIsTimed) {
    std::vector<std::size_t> runs(threads);
    const auto times = run_rounds(
        processors, 5, [&](std::size_t thread) { return [&runs, thread] { ++runs[thread]; }; });
    EXPECT_EQ(times.size(), 5u);
    EXPECT_TRUE(std::ranges::all_of(times, [](Seconds time) { return time >= Seconds{}; }));
    EXPECT_EQ(runs, std::vector<std::size_t>(threads, 6));
}

// Only the team orders these writes and reads; the thread sanitizer sees whether it does.
TEST(Team, ARoundBeginsAfterAllHaveFinishedThePreviousOne) {
    std::vector<std::vector<std::size_t>> written(2, std::vector<std::size_t>(threads));
    std::vector<std::size_t> early(threads);
    run_rounds(processors, 200, [&](std::size_t thread) {
        return [&, thread, round = std::size_t{0}]() mutable {
            const auto& before = written[(round + 1) % 2];
            if (!std::ranges::all_of(before, [&](std::size_t last) { return last == round; })) {
                ++early[thread];
            }
            written[round % 2][thread] = round + 1;
            ++round;
        };
    });
    EXPECT_EQ(early, std::vector<std::size_t>(threads, 0));
}

TEST(Team, WorkIsPreparedOnTheThreadThatDoesIt) {
    std::vector<int> is_same(threads);
    run_rounds(processors, 1, [&](std::size_t thread) {
        return [&is_same, thread, self = ::pthread_self()] {
            is_same[thread] = ::pthread_equal(self, ::pthread_self());
        };
    });
    EXPECT_TRUE(std::ranges::all_of(is_same, [](int same) { return same != 0; }));
}

}  // namespace
}  // namespace strata
