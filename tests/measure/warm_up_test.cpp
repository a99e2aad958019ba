// SPDX-License-Identifier: MIT
#include "measure/warm_up.h"

#include "tests/measure/scripted_iteration.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::FakeClock;
using testing::ScriptedIteration;

const auto never = [] { return false; };

std::string log_of(const Policy& policy, const std::function<Seconds()>& next,
                   const std::function<bool()>& stop = never) {
    FakeClock clock;
    ScriptedIteration iteration(clock, next);
    warm_up(iteration, policy, clock, stop);
    return iteration.log;
}

TEST(WarmUp, NoneIsNoneAtAll) {
    EXPECT_EQ(log_of({.warmup = 0}, [] { return Seconds{1e-3}; }), "");
}

TEST(WarmUp, ASteadyIterationIsWarmOnceItCanBeJudged) {
    EXPECT_EQ(log_of({.warmup = 3}, [] { return Seconds{1e-3}; }), "ieeeeeee");
}

TEST(WarmUp, AFallingTimeIsFollowedUntilItSettles) {
    double time = 0.02;
    const auto log = log_of({.warmup = 3}, [&] {
        time = std::max(1e-3, 0.8 * time);
        return Seconds{time};
    });
    EXPECT_GT(log.size(), 14u);
    EXPECT_LT(log.size(), 40u);
}

TEST(WarmUp, AnIterationThatNeverSettlesIsGivenUpAfterTwoSeconds) {
    double time = 0.01;
    const auto log = log_of({.warmup = 3}, [&] { return Seconds{time *= 1.02}; });
    EXPECT_LT(log.size(), 100u);
}

TEST(WarmUp, ASlowIterationRunsAsOftenAsRequestedAndNoMore) {
    EXPECT_EQ(log_of({.warmup = 3}, [] { return Seconds{2}; }), "iee");
}

TEST(WarmUp, TheRequestedIterationsTakeAQuarterOfTheTimeAtMost) {
    EXPECT_EQ(log_of({.warmup = 100, .max_time = {20}}, [] { return Seconds{2}; }), "iee");
}

TEST(WarmUp, AnIterationSlowerThanAllTheTimeRunsOnce) {
    EXPECT_EQ(log_of({.warmup = 3, .max_time = {20}}, [] { return Seconds{30}; }), "i");
}

TEST(WarmUp, ARequestToStopIsHeard) {
    int left = 2;
    EXPECT_EQ(log_of(
                  {.warmup = 100}, [] { return Seconds{1e-3}; }, [&] { return left-- == 0; }),
              "ie");
}

}  // namespace
}  // namespace strata
