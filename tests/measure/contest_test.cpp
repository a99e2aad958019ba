// SPDX-License-Identifier: MIT
#include "measure/contest.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace strata {
namespace {

// Candidates that write down their turns: 'a', 'b', …; each has two parts of 1 and `turn` seconds.
class ContestTest : public ::testing::Test {
protected:
    void add(Contest& contest, char name) {
        contest.add([this, name] {
            turns_ += name;
            return std::vector<Seconds>{Seconds{1}, Seconds{static_cast<double>(turns_.size())}};
        });
    }

    Contest contest_of(const std::string& names, TurnOrder order = TurnOrder::reversing,
                       std::function<bool()> is_stopped = {}) {
        Contest contest(order, std::move(is_stopped));
        for (const char name : names) {
            add(contest, name);
        }
        return contest;
    }

    std::string turns_;
};

TEST_F(ContestTest, TheOrderReversesInEverySecondRound) {
    Contest contest = contest_of("abc");
    for (int round = 0; round < 3; ++round) {
        EXPECT_TRUE(contest.run_round());
    }
    EXPECT_EQ(turns_, "abccbaabc");
    EXPECT_EQ(contest.rounds(), 3U);
}

TEST_F(ContestTest, EveryOrderIsDrawn) {
    Contest contest = contest_of("abc", TurnOrder::drawn);
    std::set<std::string> orders;
    for (int round = 0; round < 60; ++round) {
        turns_.clear();
        contest.run_round();
        orders.insert(turns_);
    }
    EXPECT_EQ(orders, (std::set<std::string>{"abc", "acb", "bac", "bca", "cab", "cba"}));
}

TEST_F(ContestTest, ATurnIsOneSampleOfEachPartAndOfTheirSum) {
    Contest contest = contest_of("ab");
    contest.run_round();
    contest.run_round();
    ASSERT_EQ(contest.parts(0).size(), 2U);
    EXPECT_EQ(contest.parts(0)[1].values, (std::vector<Seconds>{Seconds{1}, Seconds{4}}));
    EXPECT_EQ(contest.whole(1), (std::vector<Seconds>{Seconds{3}, Seconds{4}}));
    EXPECT_EQ(contest.last_round(), Seconds{5 + 4});
}

TEST_F(ContestTest, WhoLeavesHasNoMoreTurnsAndTheOthersKeepTheirSamples) {
    Contest contest = contest_of("abc");
    contest.run_round();
    contest.remove(1);
    contest.run_round();
    EXPECT_EQ(turns_, "abcca");
    EXPECT_EQ(contest.whole(1), (std::vector<Seconds>{Seconds{4}, Seconds{5}}));
}

TEST_F(ContestTest, AStoppedRoundDoesNotCount) {
    for (const std::size_t after : {0U, 1U, 2U}) {
        turns_.clear();
        Contest contest =
            contest_of("ab", TurnOrder::reversing, [&] { return turns_.size() >= after; });
        EXPECT_FALSE(contest.run_round());
        EXPECT_EQ(turns_.size(), after);
        EXPECT_EQ(contest.rounds(), 0U);
    }
}

TEST_F(ContestTest, RunsInARowFillTheTimeButAreNeverNone) {
    EXPECT_EQ(runs_within(Seconds{10}, Seconds{3}, 64), 3U);
    EXPECT_EQ(runs_within(Seconds{10}, Seconds{30}, 64), 1U);
    EXPECT_EQ(runs_within(Seconds{10}, Seconds{0}, 64), 64U);
}

}  // namespace
}  // namespace strata
