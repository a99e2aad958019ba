// SPDX-License-Identifier: MIT
#include "measure/ratio.h"

#include "tests/measure/synthetic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace strata {
namespace {

using testing::Synthetic;

std::vector<Seconds> scaled(std::vector<Seconds> values, double factor) {
    for (Seconds& value : values) {
        value *= factor;
    }
    return values;
}

// Launches whose levels differ by 1 % (one standard deviation), like processes.
Launches launched(Synthetic& series, std::size_t launches, std::size_t samples, double factor) {
    Launches all;
    for (std::size_t i = 0; i < launches; ++i) {
        const double level = factor * std::exp(0.01 * series.normal());
        all.samples.push_back(scaled(series.heavy_tailed(samples), level));
    }
    return all;
}

bool holds(const Ratio& ratio, double truth) {
    return ratio.low <= truth && truth <= ratio.high;
}

TEST(Ratio, IsTheRatioOfTheMedians) {
    const Launches before{.samples = {{Seconds{1}, Seconds{2}, Seconds{9}}}};
    const Launches after{.samples = {{Seconds{3}, Seconds{3}, Seconds{3}}}};
    EXPECT_DOUBLE_EQ(ratio_of_medians(before, after).value, 1.5);
    EXPECT_DOUBLE_EQ(ratio_of_medians(after, before).value, 1 / 1.5);
}

// The interval must contain the truth in 95 % of all cases: between 93 % and 97 % in 500, allowing
// for chance.
TEST(Ratio, TheIntervalWithinTwoProcessesContainsTheTruthInNineteenOfTwentyCases) {
    Synthetic series(1);
    int held = 0;
    for (int i = 0; i < 500; ++i) {
        const Launches before{.samples = {series.heavy_tailed(40)}};
        const Launches after{.samples = {scaled(series.heavy_tailed(40), 1.1)}};
        held += holds(ratio_of_medians(before, after), 1.1) ? 1 : 0;
    }
    EXPECT_GE(held, 460);
    EXPECT_LE(held, 490);
}

TEST(Ratio, DependentSamplesWidenTheInterval) {
    Synthetic series(2);
    int held = 0;
    for (int i = 0; i < 300; ++i) {
        const Launches before{.samples = {series.autoregressive(100, 0.7)}};
        const Launches after{.samples = {series.autoregressive(100, 0.7)}};
        held += holds(ratio_of_medians(before, after), 1) ? 1 : 0;
    }
    EXPECT_GE(held, 270);
}

TEST(Ratio, TheIntervalOverFewProcessesAndSamplesContainsTheTruth) {
    for (const std::size_t launches : {std::size_t{3}, std::size_t{5}}) {
        for (const std::size_t samples : {std::size_t{1}, std::size_t{3}, std::size_t{20}}) {
            Synthetic series(3 + launches + 100 * samples);
            int held = 0;
            for (int i = 0; i < 200; ++i) {
                held += holds(ratio_of_medians(launched(series, launches, samples, 1),
                                               launched(series, launches, samples, 1.05)),
                              1.05)
                            ? 1
                            : 0;
            }
            EXPECT_GE(held, 182) << launches << " of " << samples;  // 91 %
        }
    }
}

// Pairs on a machine that slows down and recovers: both of a pair share a level with a deviation of
// 20 %, and every fifth launch is individually disturbed.
std::pair<Launches, Launches> launched_in_turn(Synthetic& series, std::size_t pairs,
                                               double factor) {
    std::pair<Launches, Launches> sides;
    for (std::size_t i = 0; i < pairs; ++i) {
        const double level = std::exp(0.2 * series.normal());
        for (Launches* side : {&sides.first, &sides.second}) {
            const double disturbance = series.uniform() < 0.2 ? 0.1 : 0.01;
            side->samples.push_back(
                scaled(series.heavy_tailed(20), level * std::exp(disturbance * series.normal()) *
                                                    (side == &sides.first ? 1 : factor)));
        }
    }
    return sides;
}

TEST(Ratio, TheIntervalOverPairsContainsTheTruthAlthoughTheMachineDrifts) {
    for (const std::size_t pairs : {std::size_t{5}, std::size_t{10}}) {
        Synthetic series(7 + pairs);
        int held = 0;
        int narrower = 0;
        for (int i = 0; i < 200; ++i) {
            const auto [before, after] = launched_in_turn(series, pairs, 1.05);
            const Ratio paired = ratio_of_pairs(before, after);
            const Ratio unpaired = ratio_of_medians(before, after);
            held += holds(paired, 1.05) ? 1 : 0;
            narrower += paired.high / paired.low < unpaired.high / unpaired.low ? 1 : 0;
        }
        EXPECT_GE(held, 182) << pairs;  // 91 %
        EXPECT_GE(narrower, 180) << pairs;
    }
}

TEST(Ratio, AWideIntervalOfATimeEndsAboveZero) {
    const Launches few{.samples = {{Seconds{1}}, {Seconds{6}}, {Seconds{9}}}};
    const Estimate wide = estimate(few);
    EXPECT_EQ(wide.median, Seconds{6});
    EXPECT_GT(wide.low, Seconds{0});
    EXPECT_LT(wide.low, Seconds{1});
    const Launches with_zero{.samples = {{Seconds{0}}, {Seconds{6}}, {Seconds{9}}}};
    EXPECT_EQ(estimate(with_zero).low, Seconds{0});
}

TEST(Ratio, OfPairsIsTheMedianOfThePairwiseMeans) {
    const Launches before{.samples = {{Seconds{1}}, {Seconds{2}}, {Seconds{4}}}};
    const Launches after{.samples = {{Seconds{2}}, {Seconds{4}}, {Seconds{64}}}};
    // Logarithms to base 2: 1, 1, 4; the means 1, 1, 2.5, 1, 2.5, 4; their median 1.75.
    EXPECT_DOUBLE_EQ(ratio_of_pairs(before, after).value, std::exp2(1.75));
    EXPECT_EQ(ratio_of_pairs(before, after).degrees_of_freedom, 2);
}

TEST(Ratio, AModelledTimeHasNoSpread) {
    const Launches model{.samples = {{Seconds{2}}}, .is_exact = true};
    const Ratio ratio = ratio_of_medians(model, model);
    EXPECT_EQ(ratio.low, 1);
    EXPECT_EQ(ratio.high, 1);
    EXPECT_EQ(chance_of(ratio), 1);
}

TEST(Ratio, TheChanceIsFivePercentIfTheIntervalEndsAtOne) {
    EXPECT_NEAR(chance_of({.value = 1.1, .low = 1, .high = 1.21}), 0.05, 1e-9);
    EXPECT_NEAR(chance_of({.value = 1 / 1.1, .low = 1 / 1.21, .high = 1}), 0.05, 1e-9);
    EXPECT_LT(chance_of({.value = 1.1, .low = 1.09, .high = 1.11}), 1e-9);
    EXPECT_EQ(chance_of({.value = 1.1, .low = 1.1, .high = 1.1}), 0);
}

TEST(Ratio, FewLaunchesMakeALargeDifferenceLessCertain) {
    const Ratio many{.value = 1.2, .low = 1.1, .high = 1.3};
    const Ratio few{.value = 1.2, .low = 1.1, .high = 1.3, .degrees_of_freedom = 4};
    EXPECT_GT(chance_of(few), 10 * chance_of(many));
    EXPECT_NEAR(chance_of({.value = 1.1, .low = 1, .high = 1.21, .degrees_of_freedom = 4}), 0.05,
                1e-9);
}

// The example of Benjamini and Hochberg (1995), section 3.2: the four smallest of fifteen.
TEST(Ratio, DiscoveriesMatchThePublishedExample) {
    const std::vector<double> chances = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                                         0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                                         0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    const std::vector<bool> found = discoveries(chances, 0.05);
    EXPECT_EQ(std::count(found.begin(), found.end(), true), 4);
    EXPECT_TRUE(found[3]);
    EXPECT_FALSE(found[4]);
    EXPECT_TRUE(discoveries({}, 0.05).empty());
}

TEST(Ratio, AThirdOfThePairsMayBeDisturbed) {
    Launches before, after;
    for (int i = 0; i < 12; ++i) {
        const double steady = 1 + 0.002 * (i % 3);
        before.samples.push_back({Seconds{1}});
        after.samples.push_back({Seconds{(i % 3 == 0 ? 1.8 : 1.05) * steady}});
    }
    const Ratio ratio = ratio_of_pairs(before, after);
    EXPECT_NEAR(ratio.value, 1.05, 0.01);
    EXPECT_GT(ratio.low, 1);
}

TEST(Ratio, AFurtherErrorAddsByItsSquare) {
    const double deviation = std::log(1.1) / 1.959964;
    const Ratio ratio = with_deviation({.value = 1, .low = 1 / 1.1, .high = 1.1}, deviation);
    EXPECT_NEAR(std::log(ratio.high), std::sqrt(2) * std::log(1.1), 1e-6);
    EXPECT_NEAR(std::log(ratio.low), -std::log(ratio.high), 1e-6);
    // An exact ratio has only this error, and it raises the degrees of freedom of few launches.
    EXPECT_NEAR(std::log(with_deviation({.value = 2, .low = 2, .high = 2}, deviation).high / 2),
                std::log(1.1), 1e-6);
    const Ratio few{.value = 1, .low = 1 / 1.1, .high = 1.1, .degrees_of_freedom = 4};
    EXPECT_GT(with_deviation(few, deviation).degrees_of_freedom, 4);
    EXPECT_EQ(with_deviation(few, 0).high, few.high);
}

TEST(Ratio, AnIntervalEndsAtOneIfTheChanceIsItsComplement) {
    for (const double freedom : {3.0, 12.0, std::numeric_limits<double>::infinity()}) {
        const Ratio ratio{.value = 1.2, .low = 1.05, .high = 1.4, .degrees_of_freedom = freedom};
        const Ratio wider = at_confidence(ratio, 1 - chance_of(ratio));
        EXPECT_NEAR(wider.low, 1, 1e-9) << freedom;
        EXPECT_DOUBLE_EQ(at_confidence(ratio, 0.95).high, ratio.high);
    }
}

}  // namespace
}  // namespace strata
