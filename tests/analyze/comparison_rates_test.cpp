// SPDX-License-Identifier: MIT
#include "analyze/comparison_rates.h"

#include "base/error.h"
#include "base/random.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

// Processes of one job: each has its own speed and 1 % of noise.
std::vector<strata::Run> processes(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.01);
    std::vector<strata::Run> runs;
    for (std::size_t i = 0; i < count; ++i) {
        const double speed = 1 + noise(random) / 4;
        std::vector<Seconds> times;
        for (int sample = 0; sample < 40; ++sample) {
            times.push_back(Seconds{1e-3 * speed * (1 + noise(random))});
        }
        runs.push_back(run_of({scripted_step("conv", Pass::forward, times)}));
        runs.back().whole.end_to_end.values = times;
    }
    return runs;
}

constexpr std::array planted = {0.0, 0.1};

ComparisonRates simulated_rates() {
    const std::vector<std::size_t> rounds(20, 5);
    return comparison_rates(processes(100, 1), processes(100, 2), rounds, planted);
}

TEST(ComparisonRates, EveryComparisonHasOneVerdict) {
    const ComparisonRates rates = simulated_rates();
    EXPECT_EQ(rates.comparisons, 20);
    ASSERT_EQ(rates.planted.size(), 2U);
    for (const PlantedRate& rate : rates.planted) {
        EXPECT_EQ(rate.faster + rate.slower + rate.same + rate.unclear, rates.comparisons);
        EXPECT_EQ(rate.layers, rates.comparisons);
    }
}

TEST(ComparisonRates, EqualSidesAreNotCalledDifferentAndAPlantedSlowDownIsFound) {
    const ComparisonRates rates = simulated_rates();
    EXPECT_EQ(rates.planted[0].faster + rates.planted[0].slower, 0);
    EXPECT_EQ(rates.planted[1].slower, 20);
    EXPECT_EQ(rates.planted[1].layers_slower, 20);
    EXPECT_GT(rates.smallest_visible, 0);
    EXPECT_LT(rates.smallest_visible, 0.1);
}

TEST(ComparisonRates, ComparisonsMayTakeDifferentNumbersOfProcesses) {
    const std::array<std::size_t, 3> rounds = {3, 7, 10};
    const ComparisonRates rates =
        comparison_rates(processes(20, 1), processes(20, 2), rounds, planted);
    EXPECT_EQ(rates.comparisons, 3);
    EXPECT_EQ(processes_text(rates), "3 to 10 processes a side");
}

TEST(ComparisonRates, AreReadBackFromTheirFile) {
    ComparisonRates rates = simulated_rates();
    rates.created = "2026-11-23T05:00:00Z";
    rates.network = "a \"quoted\" \\ name";
    rates.backend = "onednn";
    const ComparisonRates again = parse_comparison_rates(to_toml(rates), "file");
    EXPECT_EQ(again.network, rates.network);
    EXPECT_EQ(again.comparisons, rates.comparisons);
    EXPECT_EQ(again.margin, rates.margin);
    EXPECT_EQ(again.smallest_visible, rates.smallest_visible);
    ASSERT_EQ(again.planted.size(), 2U);
    EXPECT_EQ(again.planted[1].planted, 0.1);
    EXPECT_EQ(again.planted[1].slower, 20);
    EXPECT_EQ(to_toml(again), to_toml(rates));
    EXPECT_EQ(sentence_on(again),
              "On this machine, of 20 comparisons of equal sides 0 were called different; a "
              "slow-down of 10 % was found in 20 (a \"quoted\" \\ name on onednn, 5 processes a "
              "side, 2026-11-23).");
}

TEST(ComparisonRates, TheSpreadIsThatOfTheWidestPairs) {
    const auto at = [](std::initializer_list<double> times) {
        std::vector<strata::Run> runs;
        for (const double time : times) {
            runs.push_back(run_of({}));
            runs.back().whole.end_to_end.values = {Seconds{time}};
        }
        return runs;
    };
    EXPECT_EQ(process_spread(at({1, 1, 1})), 0);
    EXPECT_NEAR(process_spread(at({1, std::exp(0.1)})), 0.1 / std::sqrt(2), 1e-12);
    // Two of a hundred differ: one pair in 25, for which a standard deviation is too small.
    std::vector<strata::Run> runs(98, at({1}).front());
    runs.insert(runs.end(), 2, at({2}).front());
    EXPECT_NEAR(process_spread(runs), std::log(2) / 2.5758 / std::sqrt(2), 1e-4);
}

TEST(ComparisonRates, TheSpreadOfProcessesHoldsForTheMachineItWasMeasuredOn) {
    ComparisonRates rates = simulated_rates();
    rates.created = "2026-11-27T05:00:00Z";
    strata::Run run = run_of({});
    run.provenance["cpu.model"] = "EPYC";
    EXPECT_FALSE(holds_for(rates, run));
    rates.machine = "EPYC";
    EXPECT_TRUE(holds_for(rates, run));
    EXPECT_EQ(spread_of(rates).processes, *rates.process_spread);
    EXPECT_FALSE(spread_of(rates).is_prior());
    run.provenance["gpu.name"] = "H100";
    EXPECT_FALSE(holds_for(rates, run));
    run.provenance.erase("gpu.name");
    run.origin = Origin::imported;
    EXPECT_FALSE(holds_for(rates, run));
    rates.process_spread.reset();
    EXPECT_TRUE(spread_of(rates).is_prior());
}

TEST(ComparisonRates, AFileWithoutANumberOrWithANegativeOneIsRefused) {
    ComparisonRates rates = simulated_rates();
    rates.created = rates.network = rates.backend = "x";
    const std::string text = to_toml(rates);
    EXPECT_THROW(parse_comparison_rates("created = 1", "file"), Error);
    EXPECT_THROW(parse_comparison_rates(text + "surprise = 1", "file"), Error);
    std::string negative = text;
    negative.replace(negative.find("layers = "), 9, "layers = -");
    EXPECT_THROW(parse_comparison_rates(negative, "file"), Error);
}

TEST(ShareOf, HasWilsonsInterval) {
    // None of 10 cases: 0 to z^2 / (n + z^2).
    EXPECT_NEAR(share_of(0, 10).high, 3.8414588 / 13.8414588, 1e-6);
    EXPECT_EQ(share_of(0, 10).low, 0);
    EXPECT_NEAR(share_of(5, 10).low + share_of(5, 10).high, 1, 1e-12);
}

}  // namespace
}  // namespace strata
