// SPDX-License-Identifier: MIT
#include "measure/modes.h"

#include "tests/measure/synthetic.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::share_of_seeds;
using testing::Synthetic;

TEST(Modes, EqualSpacingDipsLeastAndTwoPointsMost) {
    std::vector<Seconds> even;
    std::vector<Seconds> two;
    for (int i = 0; i < 100; ++i) {
        even.push_back({1.0 + i});
        two.push_back({i % 2 == 0 ? 1.0 : 2.0});
    }
    EXPECT_NEAR(modes_of(even).dip, 1.0 / 200, 1e-12);
    EXPECT_DOUBLE_EQ(modes_of(two).dip, 0.25);
}

// Two equal clusters of evenly spaced values, far apart: a unimodal distribution must fill the gap,
// which costs a quarter minus the half step allowed by the clusters themselves.
TEST(Modes, TheDipOfTwoFarClustersIsNearAQuarter) {
    std::vector<Seconds> values;
    for (int i = 0; i < 50; ++i) {
        values.push_back({i * 1e-4});
        values.push_back({1 + i * 1e-4});
    }
    EXPECT_NEAR(modes_of(values).dip, 0.25, 0.01);
}

TEST(Modes, ASplitSeriesIsDetectedWithItsGroups) {
    const double seen = share_of_seeds(200, [](Synthetic& s) {
        const Modes modes = modes_of(s.two_modes(100, 0.3, 0.1));
        return modes.significant && std::abs(modes.lower.value - 1e-3) < 1e-5 &&
               std::abs(modes.upper.value - 1.1e-3) < 1e-5 &&
               std::abs(modes.upper_share - 0.3) < 0.2;
    });
    EXPECT_GE(seen, 0.99);
}

TEST(Modes, AFifthOfSlowSamplesIsDetected) {
    const double seen = share_of_seeds(
        200, [](Synthetic& s) { return modes_of(s.two_modes(300, 0.2, 0.08)).significant; });
    EXPECT_GE(seen, 0.95);
}

TEST(Modes, OneHumpIsTakenForTwoInLessThanTwoPercent) {
    const auto share = [](auto series) {
        return share_of_seeds(2000, [&](Synthetic& s) { return modes_of(series(s)).significant; });
    };
    EXPECT_LE(share([](Synthetic& s) { return s.independent(60); }), 0.01);
    EXPECT_LE(share([](Synthetic& s) { return s.heavy_tailed(60); }), 0.01);
    EXPECT_LE(share([](Synthetic& s) { return s.drifting(60, 0.2); }), 0.02);  // nearly uniform
    EXPECT_LE(share([](Synthetic& s) { return s.autoregressive(100, 0.8); }), 0.02);
}

TEST(Modes, FewSamplesHaveNone) {
    EXPECT_FALSE(modes_of(Synthetic(1).two_modes(10, 0.5, 1)).significant);
}

}  // namespace
}  // namespace strata
