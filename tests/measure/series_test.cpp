// SPDX-License-Identifier: MIT
#include "measure/series.h"

#include "tests/measure/synthetic.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::share_of_seeds;
using testing::Synthetic;

constexpr double one_percent = 2.576;  // two-sided, in deviations

TEST(Series, AnAlternatingSeriesCountsFully) {
    std::vector<Seconds> values;
    for (int i = 0; i < 100; ++i) {
        values.push_back({i % 2 == 0 ? 1.0 : 2.0});
    }
    EXPECT_EQ(effective_samples(values), 100);
}

TEST(Series, IndependentSamplesCountFully) {
    const double full = share_of_seeds(
        1000, [](Synthetic& s) { return effective_samples(s.independent(100)) == 100; });
    EXPECT_GE(full, 0.98);
}

// tau = 1 + (4 / pi) sum asin(0.8^k) = 6.1.
TEST(Series, DependentSamplesCountAsTheoryPredicts) {
    double sum = 0;
    share_of_seeds(200, [&](Synthetic& s) {
        sum += effective_samples(s.autoregressive(2000, 0.8));
        return true;
    });
    EXPECT_NEAR(sum / 200, 2000 / 6.1, 30);
}

TEST(Series, ALineGivesItsChange) {
    std::vector<Seconds> values;
    for (int i = 0; i < 101; ++i) {
        values.push_back({1 + 0.002 * i});
    }
    EXPECT_NEAR(trend_of(values).change, 0.2 / 1.1, 1e-6);
    EXPECT_GT(trend_of(values).deviations, 10);
}

TEST(Series, OneOutlierDoesNotMoveTheLine) {
    std::vector<Seconds> values(50, Seconds{1});
    values.back() = {1000};
    EXPECT_EQ(trend_of(values).change, 0);
}

TEST(Series, ADriftIsDetectedWithItsSize) {
    const double seen = share_of_seeds(300, [](Synthetic& s) {
        const Trend trend = trend_of(s.drifting(100, 0.02));
        return trend.deviations > one_percent && std::abs(trend.change - 0.02) < 0.012;
    });
    EXPECT_GE(seen, 0.95);
}

TEST(Series, AFallIsAsVisibleAsARise) {
    EXPECT_LT(trend_of(Synthetic(1).drifting(1000, -0.05)).deviations, -one_percent);
}

TEST(Series, SeriesWithoutDriftShowOneInAboutOnePercent) {
    const double independent = share_of_seeds(2000, [](Synthetic& s) {
        return std::abs(trend_of(s.independent(60)).deviations) > one_percent;
    });
    EXPECT_LE(independent, 0.02);
    const double heavy = share_of_seeds(1000, [](Synthetic& s) {
        return std::abs(trend_of(s.heavy_tailed(60)).deviations) > one_percent;
    });
    EXPECT_LE(heavy, 0.02);
}

TEST(Series, AWanderingSeriesIsRarelyTakenForADrift) {
    const double share = share_of_seeds(500, [](Synthetic& s) {
        return std::abs(trend_of(s.autoregressive(200, 0.6)).deviations) > one_percent;
    });
    EXPECT_LE(share, 0.04);
}

}  // namespace
}  // namespace strata
