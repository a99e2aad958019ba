// SPDX-License-Identifier: MIT
#include "measure/stopping.h"
#include "measure/statistics.h"
#include "tests/measure/scripted_iteration.h"
#include "tests/measure/synthetic.h"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(WarmUp, NoWarmUpRunsNothing) {
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

TEST(WarmUp, AnIterationThatNeverSettlesIsAbandonedAfterTwoSeconds) {
    double time = 0.01;
    const auto log = log_of({.warmup = 3}, [&] { return Seconds{time *= 1.02}; });
    EXPECT_LT(log.size(), 100u);
}

TEST(WarmUp, ASlowIterationRunsAsOftenAsRequestedAndNoMore) {
    EXPECT_EQ(log_of({.warmup = 3}, [] { return Seconds{2}; }), "iee");
}

TEST(WarmUp, TheRequestedIterationsTakeAtMostAQuarterOfTheTime) {
    EXPECT_EQ(log_of({.warmup = 100, .max_time = {20}}, [] { return Seconds{2}; }), "iee");
}

TEST(WarmUp, AnIterationSlowerThanAllTheTimeRunsOnce) {
    EXPECT_EQ(log_of({.warmup = 3, .max_time = {20}}, [] { return Seconds{30}; }), "i");
}

TEST(WarmUp, ARequestToStopIsObeyed) {
    int left = 2;
    EXPECT_EQ(log_of(
                  {.warmup = 100}, [] { return Seconds{1e-3}; }, [&] { return left-- == 0; }),
              "ie");
}

using testing::share_of_seeds;
using testing::Synthetic;

SampledIteration alike(std::vector<Seconds> values) {
    SampledIteration sampled;
    sampled.parts = {Samples{values}};
    sampled.end_to_end.values = values;
    sampled.instrumented.values = std::move(values);
    return sampled;
}

SampledIteration constant(std::size_t n) {
    return alike(std::vector<Seconds>(n, Seconds{1}));
}

const Policy policy{.min_time = {1}, .max_time = {10}, .min_samples = 10, .precision = 0.01};

TEST(Stopping, FewSamplesOrLittleTimeAreNotEnough) {
    Stopping stopping(policy);
    EXPECT_EQ(stopping.decide(constant(5), {5}), std::nullopt);
    EXPECT_EQ(stopping.precision(), std::nullopt);
    EXPECT_EQ(stopping.decide(constant(8), {5}), std::nullopt);
    EXPECT_EQ(stopping.decide(constant(10), {0.5}), std::nullopt);
    EXPECT_EQ(stopping.precision(), 0);
}

TEST(Stopping, ItEndsOnceTheLastCheckWasPrecise) {
    Stopping stopping(policy);
    EXPECT_EQ(stopping.decide(alike(Synthetic(1).two_modes(40, 0.5, 0.5)), {2}), std::nullopt);
    EXPECT_EQ(stopping.decide(constant(41), {2}), std::nullopt);  // not a checkpoint
    EXPECT_EQ(stopping.decide(constant(50), {2}), StopReason::precise);
}

TEST(Stopping, APreciseCheckHoldsUntilTheTimeHasPassed) {
    Stopping stopping(policy);
    EXPECT_EQ(stopping.decide(constant(100), {0.9}), std::nullopt);
    EXPECT_EQ(stopping.decide(constant(101), {1}), StopReason::precise);
}

TEST(Stopping, OneNoisyQuantityKeepsItGoing) {
    auto sampled = constant(100);
    sampled.parts[0].values = Synthetic(1).two_modes(100, 0.5, 0.5);
    Stopping stopping(policy);
    EXPECT_EQ(stopping.decide(sampled, {2}), std::nullopt);
    EXPECT_EQ(stopping.decide(sampled, {10}), StopReason::budget);
}

TEST(Stopping, TheEndOfTheTimeIsPreciseOnlyIfTheMediansAre) {
    EXPECT_EQ(Stopping(policy).decide(constant(20), {10}), StopReason::precise);
    EXPECT_EQ(Stopping(policy).decide(constant(3), {10}), StopReason::budget);
}

TEST(Stopping, ThreeSamplesHaveNoPrecision) {
    EXPECT_TRUE(std::isinf(precision_of(constant(3))));
}

// Samples until it stops, as the sampler would, one sample at a time.
std::vector<Seconds> samples_until_precise(Synthetic& synthetic, double wanted) {
    Stopping stopping({.min_time = {0}, .max_time = {1e9}, .min_samples = 10, .precision = wanted});
    const auto all = synthetic.independent(2000);
    for (std::size_t n = 1; n < all.size(); ++n) {
        std::vector<Seconds> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        SampledIteration sampled;
        sampled.end_to_end.values = some;
        sampled.instrumented.values = some;
        if (stopping.decide(sampled, {1})) {
            return some;
        }
    }
    return all;
}

TEST(Stopping, StoppingOnPrecisionHardlyLowersTheCoverage) {
    for (const double wanted : {0.02, 0.005}) {
        const double share = share_of_seeds(1000, [&](Synthetic& s) {
            const Estimate found = estimate(samples_until_precise(s, wanted));
            return found.low.value <= 1e-3 && 1e-3 <= found.high.value;
        });
        EXPECT_GE(share, 0.93) << wanted;
    }
}

}  // namespace
}  // namespace strata
