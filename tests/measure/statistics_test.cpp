// SPDX-License-Identifier: MIT
#include "measure/statistics.h"

#include "tests/measure/synthetic.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::share_of_seeds;
using testing::Synthetic;

std::vector<Seconds> seconds(std::initializer_list<double> values) {
    std::vector<Seconds> all;
    for (const double value : values) {
        all.push_back({value});
    }
    return all;
}

bool covers(const Estimate& estimate, double truth) {
    return estimate.low.value <= truth && truth <= estimate.high.value;
}

// The coverage of a rank of n independent values, summed directly.
double exact_coverage(std::size_t n, std::size_t rank) {
    double term = std::pow(0.5, static_cast<double>(n));
    double below = 0;
    for (std::size_t j = 0; j < rank; ++j) {
        below += term;
        term *= static_cast<double>(n - j) / static_cast<double>(j + 1);
    }
    return 1 - 2 * below;
}

TEST(Statistics, TheMedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
    EXPECT_EQ(median_of(seconds({3, 1, 2})).value, 2);
    EXPECT_EQ(median_of(seconds({4, 1, 3, 2})).value, 2.5);
    EXPECT_EQ(median_of(seconds({7})).value, 7);
}

TEST(Statistics, QuantilesInterpolateBetweenNeighbours) {
    const auto values = seconds({40, 10, 30, 20});
    EXPECT_EQ(quantile(values, 0).value, 10);
    EXPECT_EQ(quantile(values, 1).value, 40);
    EXPECT_DOUBLE_EQ(quantile(values, 0.25).value, 17.5);
}

TEST(Statistics, TheRanksOfTheMediansIntervalMatchThePublishedOnes) {
    EXPECT_EQ(interval_rank(5), 0u);
    EXPECT_EQ(interval_rank(6), 1u);
    EXPECT_EQ(interval_rank(10), 2u);
    EXPECT_EQ(interval_rank(20), 6u);
    EXPECT_EQ(interval_rank(50), 18u);
    EXPECT_EQ(interval_rank(100), 40u);
}

TEST(Statistics, TheRankIsTheLargestThatCoversNinetyFivePercent) {
    for (std::size_t n = min_samples_for_interval; n <= 500; ++n) {
        ASSERT_GE(exact_coverage(n, interval_rank(n)), 0.95) << n;
        ASSERT_LT(exact_coverage(n, interval_rank(n) + 1), 0.95) << n;
    }
}

TEST(Statistics, TheRankOfAHugeSeriesFollowsTheNormalApproximation) {
    EXPECT_NEAR(static_cast<double>(interval_rank(1'000'000)), 500'000 - 0.98 * 1000, 2);
}

TEST(Statistics, AnEstimateOfFewSamplesIsTheirWholeRange) {
    const Estimate few = estimate(seconds({3, 1, 2}));
    EXPECT_EQ(few,
              (Estimate{.median = {2}, .low = {1}, .high = {3}, .minimum = {1}, .samples = 3}));
    EXPECT_EQ(estimate(seconds({5})).low.value, 5);
}

TEST(Statistics, AnEstimateTakesTheOrderStatisticsOfItsRank) {
    const Estimate ten = estimate(seconds({9, 1, 5, 3, 7, 2, 8, 4, 6, 10}));
    EXPECT_EQ(ten.median.value, 5.5);
    EXPECT_EQ(ten.low.value, 2);
    EXPECT_EQ(ten.high.value, 9);
    EXPECT_DOUBLE_EQ(relative_half_width(ten), 3.5 / 5.5);
}

TEST(Statistics, AConstantSeriesIsExactEvenAtZero) {
    EXPECT_EQ(relative_half_width(estimate(seconds({0, 0, 0, 0, 0, 0, 0}))), 0);
}

TEST(Statistics, IntervalsOfIndependentSamplesCoverTheMedianNinetyFivePercentOfTheTime) {
    for (const std::size_t n : {30u, 100u, 400u}) {
        const double share = share_of_seeds(
            4000, [&](Synthetic& s) { return covers(estimate(s.independent(n)), 1e-3); });
        EXPECT_GE(share, 0.94) << n;
        EXPECT_LE(share, 0.98) << n;
    }
}

TEST(Statistics, IntervalsOfHeavyTailedSamplesCoverTheMedianNinetyFivePercentOfTheTime) {
    const double share = share_of_seeds(
        4000, [](Synthetic& s) { return covers(estimate(s.heavy_tailed(100)), 1.01e-3); });
    EXPECT_GE(share, 0.94);
    EXPECT_LE(share, 0.975);
}

TEST(Statistics, IntervalsOfDependentSamplesStillCoverTheMedian) {
    for (const double memory : {0.3, 0.6, 0.8}) {
        const double share = share_of_seeds(2000, [&](Synthetic& s) {
            return covers(estimate(s.autoregressive(400, memory)), 1e-3);
        });
        EXPECT_GE(share, 0.92) << memory;
        EXPECT_LE(share, 0.98) << memory;
    }
}

}  // namespace
}  // namespace strata
