// SPDX-License-Identifier: MIT
#include "analyze/scaling.h"

#include "tests/support/observation.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::vector<ThreadPoint> by_law(double serial, std::initializer_list<double> factors) {
    std::vector<ThreadPoint> points;
    double threads = 1;
    for (const double factor : factors) {
        points.push_back({threads, Seconds{factor * 10 * (serial + (1 - serial) / threads)}});
        threads *= 2;
    }
    return points;
}

TEST(Scaling, TimesByTheLawGiveItsShare) {
    for (const double serial : {0.0, 0.05, 0.3, 1.0}) {
        const auto fit = fit_amdahl(by_law(serial, {1, 1, 1, 1}));
        ASSERT_TRUE(fit.has_value());
        EXPECT_NEAR(fit->serial, serial, 1e-4);
        EXPECT_NEAR(fit->one.value, 10, 1e-2);
        EXPECT_NEAR(fit->at(4).value, 10 * (serial + (1 - serial) / 4), 1e-2);
    }
}

TEST(Scaling, TheIntervalContainsTheShareAndWidensWithTheScatter) {
    const auto small = fit_amdahl(by_law(0.2, {1.001, 0.999, 1.001, 0.999}));
    const auto large = fit_amdahl(by_law(0.2, {1.03, 0.97, 1.03, 0.97}));
    ASSERT_TRUE(small->interval && large->interval);
    EXPECT_TRUE(small->interval->contains(0.2));
    EXPECT_TRUE(large->interval->contains(0.2));
    EXPECT_LT(small->interval->high - small->interval->low,
              large->interval->high - large->interval->low);
    EXPECT_GT(large->error, small->error);
}

TEST(Scaling, TwoPointsHaveNoIntervalAndOneNoLaw) {
    const auto two = fit_amdahl(by_law(0.25, {1, 1}));
    EXPECT_NEAR(two->serial, 0.25, 1e-4);
    EXPECT_FALSE(two->interval.has_value());
    EXPECT_FALSE(fit_amdahl(by_law(0.25, {1})).has_value());
}

TEST(Scaling, RunsThatDifferOnlyInTheirThreadsAreASweep) {
    std::vector<Observation> runs;
    for (const int threads : {1, 2, 4}) {
        runs.push_back(testing::observed("onednn", 4, 64, 32, 8.0 / threads));
        runs.back().threads = threads;
    }
    runs.push_back(testing::observed("onednn", 4, 64, 64, 1));
    runs.back().threads = 8;
    std::vector<const Observation*> pointers;
    for (const Observation& run : runs) {
        pointers.push_back(&run);
    }
    const auto sweeps = thread_sweeps(pointers);
    ASSERT_EQ(sweeps.size(), 1u);
    EXPECT_EQ(sweeps[0].points.size(), 3u);
    EXPECT_EQ(sweeps[0].fit->serial, 0);
}

std::vector<BatchSweep> swept(std::initializer_list<double> seconds,
                              std::vector<Observation>& runs) {
    int batch = 1;
    for (const double time : seconds) {
        runs.push_back(testing::observed("modelled:v100", 4, 64, batch, time));
        batch *= 2;
    }
    std::vector<const Observation*> pointers;
    for (const Observation& run : runs) {
        pointers.push_back(&run);
    }
    return batch_sweeps(pointers);
}

TEST(Scaling, ThroughputSaturatesOnceLargerBatchesGainLittle) {
    std::vector<Observation> runs;
    const auto sweeps = swept({1, 1, 1.05, 2, 4.1}, runs);  // 1, 2, 3.81, 4 and 3.9 per second
    ASSERT_EQ(sweeps.size(), 1U);
    EXPECT_EQ(sweeps[0].points.size(), 5U);
    EXPECT_EQ(sweeps[0].saturation.best_batch, 8);
    EXPECT_DOUBLE_EQ(sweeps[0].saturation.best.median, 4);
    EXPECT_EQ(sweeps[0].saturation.batch, 4);
    EXPECT_TRUE(sweeps[0].saturation.reached);
}

TEST(Scaling, ThroughputThatRisesToTheEndHasNotSaturated) {
    std::vector<Observation> runs;
    const auto sweeps = swept({1, 1, 1}, runs);
    ASSERT_EQ(sweeps.size(), 1U);
    EXPECT_EQ(sweeps[0].saturation.best_batch, 4);
    EXPECT_FALSE(sweeps[0].saturation.reached);
    runs.clear();
    EXPECT_TRUE(swept({1}, runs).empty());
}

}  // namespace
}  // namespace strata
