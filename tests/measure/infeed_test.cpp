// SPDX-License-Identifier: MIT
#include "measure/infeed.h"

#include "base/error.h"
#include "tests/support/fake_clock.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

constexpr Seconds copy_time{0.5e-3};

// A pipeline and a step with known times on a fake clock, each on separate processors.
class ScriptedInfeed final : public Infeed {
public:
    ScriptedInfeed(testing::FakeClock& clock, Seconds produce, Seconds step)
        : clock_(clock), produce_(produce), step_(step) {}

    void begin_batch() override {
        check(!is_making_, "one batch at a time");
        is_making_ = true;
        made_at_ = clock_.now() + produce_;
    }
    BatchTimes finish_batch() override {
        check(is_making_, "a batch is being made");
        is_making_ = false;
        ++finished;
        clock_.advance(std::max(Seconds{0}, made_at_ - clock_.now()));
        return {.decode = 0.75 * produce_, .augment = 0.25 * produce_};
    }
    void copy_batch() override {
        ++copied;
        clock_.advance(copy_time);
    }
    void run_step() override {
        ++steps;
        clock_.advance(step_);
    }
    bool is_making() const { return is_making_; }

    std::size_t finished = 0;
    std::size_t copied = 0;
    std::size_t steps = 0;

private:
    testing::FakeClock& clock_;
    Seconds produce_;
    Seconds step_;
    Seconds made_at_;
    bool is_making_ = false;
};

struct Sampled {
    SampledInfeed samples;
    bool is_making = false;
};

Sampled sampled(Seconds produce, Seconds step, const Policy& policy = {}) {
    testing::FakeClock clock;
    ScriptedInfeed infeed(clock, produce, step);
    SampledInfeed samples = sample_infeed(infeed, policy, clock);
    return {std::move(samples), infeed.is_making()};
}

void expect_all(const Samples& samples, Seconds value) {
    ASSERT_FALSE(samples.values.empty());
    for (const Seconds sample : samples.values) {
        EXPECT_NEAR(sample.value, value.value, 1e-9);
    }
}

TEST(InfeedTest, ASlowPipelineDecidesTheOverlappedStepAndIsWaitedFor) {
    const SampledInfeed slow = sampled(Seconds{20e-3}, Seconds{5e-3}).samples;
    expect_all(slow.step, Seconds{5e-3});
    expect_all(slow.produce, Seconds{20e-3});
    expect_all(slow.serial, Seconds{25.5e-3});
    expect_all(slow.overlapped, Seconds{20e-3});
    expect_all(slow.waiting, Seconds{14.5e-3});
    expect_all(slow.copying, copy_time);
}

TEST(InfeedTest, AQuickPipelineIsNeverWaitedFor) {
    const SampledInfeed quick = sampled(Seconds{1e-3}, Seconds{5e-3}).samples;
    expect_all(quick.overlapped, Seconds{5.5e-3});
    expect_all(quick.waiting, Seconds{0});
    expect_all(quick.decode, Seconds{0.75e-3});
    expect_all(quick.augment, Seconds{0.25e-3});
}

TEST(InfeedTest, RelatedSeriesHaveOneValuePerIteration) {
    for (const Seconds step : {Seconds{1e-4}, Seconds{5e-3}, Seconds{0.5}}) {
        const auto [samples, is_making] = sampled(Seconds{2e-3}, step);
        EXPECT_EQ(samples.overlapped.values.size(), samples.waiting.values.size());
        EXPECT_EQ(samples.overlapped.values.size(), samples.copying.values.size());
        for (const Samples* part :
             {&samples.decode, &samples.augment, &samples.produce, &samples.copy}) {
            EXPECT_EQ(part->values.size(), samples.serial.values.size());
        }
        for (std::size_t i = 0; i < samples.overlapped.values.size(); ++i) {
            EXPECT_LE(samples.waiting.values[i] + samples.copying.values[i],
                      samples.overlapped.values[i]);
        }
        EXPECT_FALSE(is_making);
    }
}

TEST(InfeedTest, ItEndsWhenPreciseWithTheRequestedSamples) {
    const Policy policy{.min_time = Seconds{0}, .min_samples = 40};
    const SampledInfeed samples = sampled(Seconds{30e-3}, Seconds{30e-3}, policy).samples;
    EXPECT_EQ(samples.reason, StopReason::precise);
    EXPECT_GE(samples.step.values.size(), 40U);
    EXPECT_LE(samples.step.values.size(), 60U);
}

TEST(InfeedTest, ASlowNetworkKeepsOneRoundWhateverTheTimeAllowed) {
    const Policy policy{.max_time = Seconds{1e-3}};
    const SampledInfeed samples = sampled(Seconds{1}, Seconds{10}, policy).samples;
    EXPECT_EQ(samples.reason, StopReason::budget);
    EXPECT_EQ(samples.step.values.size(), 1U);
    EXPECT_EQ(samples.overlapped.values.size(), 2U);
}

TEST(InfeedTest, AStopBetweenIterationsLeavesNoBatchUnfinished) {
    testing::FakeClock clock;
    for (std::size_t after = 0; after < 30; ++after) {
        ScriptedInfeed infeed(clock, Seconds{2e-3}, Seconds{30e-3});
        const SampledInfeed samples =
            sample_infeed(infeed, {}, clock, [&] { return infeed.steps >= after; });
        EXPECT_EQ(samples.reason, StopReason::interrupted);
        EXPECT_FALSE(infeed.is_making());
    }
}

}  // namespace
}  // namespace strata
