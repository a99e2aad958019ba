// SPDX-License-Identifier: MIT
#include "analyze/line_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata {
namespace {

using Values = std::vector<double>;

TEST(LineFit, PointsOnALineGiveThatLineExactly) {
    const auto fit = fit_line(Values{1, 10, 100, 1000}, Values{5, 23, 203, 2003});
    ASSERT_TRUE(fit.has_value());
    EXPECT_NEAR(fit->slope, 2, 1e-12);
    EXPECT_NEAR(fit->intercept, 3, 1e-11);
    EXPECT_NEAR(fit->r_squared, 1, 1e-12);
    EXPECT_NEAR(fit->slope_interval.high - fit->slope_interval.low, 0, 1e-9);
    EXPECT_EQ(misfit_of(*fit), "");
}

// By hand: x = 0, 1, 2, 3, y = 1, 3, 5, 9; Sxx = 5, Sxy = 13, Syy = 35, and squares of
// residuals 1.2.
TEST(LineFit, EqualWeightsAreOrdinaryLeastSquares) {
    const auto fit = fit_line(Values{0, 1, 2, 3}, Values{1, 3, 5, 9}, Weighting::equal);
    ASSERT_TRUE(fit.has_value());
    EXPECT_NEAR(fit->slope, 2.6, 1e-12);
    EXPECT_NEAR(fit->intercept, 0.6, 1e-12);
    EXPECT_NEAR(fit->r_squared, 1 - 1.2 / 35, 1e-12);
    const double t = 4.3026527;  // two degrees of freedom
    EXPECT_NEAR(fit->slope_interval.high, 2.6 + t * std::sqrt(0.6 / 5), 1e-6);
    EXPECT_NEAR(fit->intercept_interval.low, 0.6 - t * std::sqrt(0.6 * (0.25 + 2.25 / 5)), 1e-6);
    EXPECT_TRUE(fit->intercept_interval.contains(0));
}

TEST(LineFit, RelativeWeightsLetTheSmallPointsDetermineTheIntercept) {
    const Values x = {1, 2, 4, 8, 1000};
    const Values y = {3, 4, 6, 10, 900};  // 2 + x, and a last one that is 10 % too fast
    const double relative = fit_line(x, y)->intercept;
    const double equal = fit_line(x, y, Weighting::equal)->intercept;
    EXPECT_NEAR(relative, 2, 0.2);
    EXPECT_LT(std::abs(relative - 2), std::abs(equal - 2));
}

TEST(LineFit, PointsOffALineAreReported) {
    const auto curved = fit_line(Values{1, 2, 4, 8, 16}, Values{1, 4, 16, 64, 256});
    ASSERT_TRUE(curved.has_value());
    EXPECT_NE(misfit_of(*curved).find("off the line"), std::string::npos);
    const auto falling = fit_line(Values{1, 2, 3, 4}, Values{4, 3.9, 3.8, 3.7});
    EXPECT_NE(misfit_of(*falling).find("not grow"), std::string::npos);
}

TEST(LineFit, TooFewPointsOrNoSpreadGiveNoLine) {
    EXPECT_FALSE(fit_line(Values{1, 2}, Values{1, 2}));
    EXPECT_FALSE(fit_line(Values{3, 3, 3}, Values{1, 2, 3}));
    EXPECT_FALSE(fit_line(Values{1, 2, 3}, Values{1, 0, 3}));
    EXPECT_TRUE(fit_line(Values{1, 2, 3}, Values{1, 0, 3}, Weighting::equal));
    const double infinite = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(fit_line(Values{1, 2, infinite}, Values{1, 2, 3}));
}

// From tables: Student's t at 97.5 % is 12.7062 with one degree of freedom and 2.2281 with ten.
TEST(LineFit, IntervalsFollowStudentsT) {
    const auto three = fit_line(Values{-1, 0, 1}, Values{0, 1, 0}, Weighting::equal);
    EXPECT_NEAR(three->slope_interval.high, 12.7062 * std::sqrt(2.0 / 3) / std::sqrt(2.0), 1e-3);
    Values x, y;
    for (int i = 0; i < 12; ++i) {
        x.push_back(i % 2 == 0 ? -1 : 1);
        y.push_back(i % 4 < 2 ? -1 : 1);
    }
    const auto twelve = fit_line(x, y, Weighting::equal);
    EXPECT_NEAR(twelve->slope, 0, 1e-12);
    EXPECT_NEAR(twelve->slope_interval.high, 2.2281 * std::sqrt(12.0 / 10) / std::sqrt(12.0), 1e-4);
}

}  // namespace
}  // namespace strata
