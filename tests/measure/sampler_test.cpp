// SPDX-License-Identifier: MIT
#include "measure/sampler.h"

#include "measure/statistics.h"
#include "tests/measure/scripted_iteration.h"
#include "tests/measure/synthetic.h"
#include "tests/support/error_message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace strata {
namespace {

using testing::FakeClock;
using testing::ScriptedIteration;
using testing::Synthetic;

// A machine on which everything takes a given time, with a log of its work.
struct Scene {
    FakeClock clock;
    ScriptedIteration iteration;
    std::function<Seconds()> calibration = [this] {
        iteration.log += 'c';
        clock.advance({7e-4});
        return Seconds{7e-4};
    };

    explicit Scene(std::function<Seconds()> next) : iteration(clock, std::move(next)) {}
    explicit Scene(double time) : Scene([time] { return Seconds{time}; }) {}

    SampledIteration sample(const Policy& policy, const SamplerHooks& hooks = {},
                            SampledIteration earlier = {}) {
        return strata::sample(iteration, policy, calibration, clock, hooks, std::move(earlier));
    }
};

TEST(Sampler, ASteadyIterationIsSampledForTheMinimumTimeAndIsPrecise) {
    Scene scene(0.01);
    const auto sampled = scene.sample({.warmup = 0, .min_time = {1}});
    EXPECT_EQ(sampled.reason, StopReason::precise);
    EXPECT_NEAR(static_cast<double>(sampled.end_to_end.values.size()), 50, 15);
    EXPECT_GE(scene.clock.now().value, 1);
    EXPECT_EQ(sampled.parts.size(), 2u);
    EXPECT_EQ(sampled.parts[1].values.front().value, 0.75 * 0.01);
}

TEST(Sampler, PartsAddUpToTheInstrumentedWhole) {
    Synthetic synthetic(1);
    Scene scene([&] { return synthetic.independent(1).front(); });
    const auto sampled = scene.sample({.warmup = 0, .min_time = {0.1}});
    const auto sum = sum_of_parts(sampled);
    ASSERT_EQ(sum.values.size(), sampled.instrumented.values.size());
    for (std::size_t i = 0; i < sum.values.size(); ++i) {
        ASSERT_NEAR(sum.values[i].value, sampled.instrumented.values[i].value, 1e-15);
    }
}

TEST(Sampler, EveryBlockHasEachKindOnceInVaryingOrder) {
    Scene scene(0.01);
    scene.sample({.warmup = 0, .min_time = {1}});
    std::set<std::string> orders;
    for (std::size_t i = 0; i + 3 <= scene.iteration.log.size(); i += 3) {
        std::string block = scene.iteration.log.substr(i, 3);
        orders.insert(block);
        std::sort(block.begin(), block.end());
        ASSERT_EQ(block, "cei");
    }
    EXPECT_EQ(orders.size(), 6u);
}

TEST(Sampler, AnUnstableIterationEndsWithItsTime) {
    Synthetic synthetic(2);
    Scene scene([&] { return 10 * synthetic.two_modes(1, 0.5, 1).front(); });
    const auto sampled = scene.sample({.warmup = 0, .min_time = {0.1}, .max_time = {2}});
    EXPECT_EQ(sampled.reason, StopReason::budget);
    EXPECT_NEAR(scene.clock.now().value, 2, 0.1);
}

TEST(Sampler, AnIterationOfThirtySecondsIsSampledOnceAndEnds) {
    Scene scene(30);
    const auto sampled = scene.sample({});
    EXPECT_EQ(sampled.reason, StopReason::budget);
    EXPECT_EQ(sampled.end_to_end.values.size(), 1u);
    EXPECT_EQ(sampled.instrumented.values.size(), 1u);
    EXPECT_NEAR(scene.clock.now().value, 90, 0.1);  // once to warm up
}

TEST(Sampler, AQuickIterationRunsManyTimesForOneCalibration) {
    Scene scene(1e-5);
    const auto sampled = scene.sample({.warmup = 0, .min_time = {0.1}});
    EXPECT_GT(sampled.end_to_end.values.size(), 30 * sampled.calibration.values.size());
    EXPECT_EQ(sampled.reason, StopReason::precise);
}

TEST(Sampler, KeptSamplesAreBoundedAndCoverTheWholeTimeEvenly) {
    double time = 1e-6;
    Scene scene([&] { return Seconds{time += 1e-10}; });  // shows when a sample was taken
    const auto sampled = scene.sample({.warmup = 0, .min_time = {0.5}, .max_time = {0.6}});
    const auto& values = sampled.end_to_end.values;
    EXPECT_LE(values.size(), max_samples + 64);
    EXPECT_GT(values.size(), max_samples / 3);
    EXPECT_LT(values.front().value, 1.1e-6);
    EXPECT_GT(values.back().value, 0.99 * time);
    const auto middle = values[values.size() / 2].value;
    EXPECT_NEAR(middle, (values.front().value + values.back().value) / 2, 0.05 * time);
    EXPECT_EQ(sampled.parts[0].values.size(), sampled.instrumented.values.size());
}

TEST(Sampler, ARequestToStopIsObeyedBetweenIterations) {
    Scene scene(1.0);
    int left = 5;
    const auto sampled =
        scene.sample({.warmup = 0}, {.stop_requested = [&] { return --left < 0; }});
    EXPECT_EQ(sampled.reason, StopReason::interrupted);
    EXPECT_LE(scene.clock.now().value, 5);
    EXPECT_GE(sampled.end_to_end.values.size(), 1u);
}

TEST(Sampler, AnInterruptedRunContinuesWithItsSamples) {
    const Policy policy{.warmup = 0, .min_time = {10}, .max_time = {11}};
    Scene first(0.5);
    const auto half =
        first.sample(policy, {.stop_requested = [&] { return first.clock.now() >= Seconds{6}; }});
    Scene second(0.5);
    const auto whole = second.sample(policy, {}, half);
    EXPECT_EQ(whole.reason, StopReason::precise);
    EXPECT_LT(second.clock.now().value, 6);
    EXPECT_GT(whole.end_to_end.values.size(), half.end_to_end.values.size());
    EXPECT_EQ(whole.parts[0].values.size(), whole.instrumented.values.size());
}

TEST(Sampler, TheWarmUpCountsTowardsTheMaximumTime) {
    Scene scene(1.0);
    scene.sample({.warmup = 4, .min_time = {100}, .max_time = {20}}, {});
    EXPECT_LT(scene.clock.now().value, 20 + 3) << "the block that is going on ends";
    EXPECT_GE(scene.clock.now().value, 20);
}

TEST(Sampler, StoredSamplesOfAnotherNetworkAreRefused) {
    Scene scene(1.0);
    SampledIteration other;
    other.parts.resize(3);
    other.instrumented.values = {{1}};
    EXPECT_NE(error_of([&] { scene.sample({}, {}, other); }).find("(3 parts) do not match"),
              std::string::npos);
}

TEST(Sampler, SamplesAreReportedOnceASecond) {
    Scene scene(0.1);
    std::vector<std::size_t> sizes;
    scene.sample({.warmup = 0, .min_time = {10}},
                 {.checkpoint = [&](const SampledIteration& so_far) {
                     sizes.push_back(so_far.end_to_end.values.size());
                 }});
    EXPECT_NEAR(static_cast<double>(sizes.size()), 9.5, 1);
    EXPECT_TRUE(std::is_sorted(sizes.begin(), sizes.end()));
}

TEST(Sampler, ProgressRisesToOneAndReportsThePrecision) {
    Synthetic synthetic(3);
    Scene scene([&] { return 10 * synthetic.independent(1).front(); });
    std::vector<Progress> reports;
    scene.sample({.warmup = 0, .min_time = {2}},
                 {.progress = [&](const Progress& progress) { reports.push_back(progress); }});
    ASSERT_GT(reports.size(), 10u);
    EXPECT_LT(reports.front().fraction, 0.2);
    EXPECT_EQ(reports.front().precision, std::nullopt);
    EXPECT_LE(reports.back().fraction, 1);
    EXPECT_GT(reports.back().samples, reports.front().samples);
}

}  // namespace
}  // namespace strata
