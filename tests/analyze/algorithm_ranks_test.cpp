// SPDX-License-Identifier: MIT
#include "analyze/algorithm_ranks.h"

#include "base/random.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// Times in rounds: each is slowed by a disturbance shared by all algorithms of the round, and by a
// little noise.
Samples rounds(double seconds, std::uint64_t stream, double noise = 0.002, std::size_t count = 12) {
    const RandomStream shared(1, 0);
    const RandomStream own(1, stream);
    Samples samples;
    for (std::size_t i = 0; i < count; ++i) {
        const double factor = (1.3 + 0.3 * static_cast<double>(shared.symmetric(i))) *
                              (1 + noise * static_cast<double>(own.symmetric(i)));
        samples.values.push_back({seconds * factor});
    }
    return samples;
}

AlgorithmResult result(const std::string& algorithm, Measurement time,
                       const std::string& layer = "conv1", Pass pass = Pass::forward) {
    AlgorithmResult result;
    result.layer = layer;
    result.pass = pass;
    result.algorithm = algorithm;
    result.time = std::move(time);
    return result;
}

AlgorithmComparison ranked(std::vector<AlgorithmResult> results) {
    AlgorithmComparison comparison = {"net", 8, "f32", "a CPU", std::move(results)};
    comparison.sampling = AlgorithmSampling::in_turn;
    rank_algorithms(comparison);
    return comparison;
}

std::vector<int> ranks_of(const AlgorithmComparison& comparison) {
    std::vector<int> ranks;
    for (const AlgorithmResult& one : comparison.results) {
        ranks.push_back(one.rank);
    }
    return ranks;
}

TEST(AlgorithmRanks, IndistinguishableResultsShareARankAndTheNextIsSkipped) {
    const auto comparison =
        ranked({result("slow", rounds(3e-3, 1)), result("tie", rounds(2e-3, 2)),
                result("first", rounds(1e-3, 3)), result("other tie", rounds(2e-3, 4)),
                result("none", Skipped{"stride 2"})});
    EXPECT_EQ(ranks_of(comparison), (std::vector<int>{4, 2, 1, 2, 0}));
}

TEST(AlgorithmRanks, RoundsRevealDifferencesThatDriftHides) {
    // 4 % apart, while the machine's speed varies by a third from round to round.
    std::vector<AlgorithmResult> results = {result("a", rounds(1.00e-3, 1)),
                                            result("b", rounds(1.04e-3, 2))};
    EXPECT_EQ(ranks_of(ranked(results)), (std::vector<int>{1, 2}));
    AlgorithmComparison in_a_row = {"net", 8, "f32", "a CPU", results};
    rank_algorithms(in_a_row);
    EXPECT_EQ(ranks_of(in_a_row), (std::vector<int>{1, 1}));
}

TEST(AlgorithmRanks, ASingleSampleDistinguishesNothing) {
    const Samples one = {{{1e-3}}};
    const Samples other = {{{9e-3}}};
    EXPECT_EQ(ranks_of(ranked({result("a", one), result("b", other)})), (std::vector<int>{1, 1}));
}

TEST(AlgorithmRanks, PassesAndLayersAreRankedSeparately) {
    const auto comparison = ranked({result("a", rounds(3e-3, 1)),
                                    result("a", rounds(2e-3, 2), "conv1", Pass::backward_data),
                                    result("a", rounds(1e-3, 3), "conv2")});
    EXPECT_EQ(ranks_of(comparison), (std::vector<int>{1, 1, 1}));
}

TEST(AlgorithmRanks, RegretIsTheTimeBeyondTheFastestForEveryOccurrence) {
    AlgorithmResult direct = result("direct", rounds(3e-3, 1, 0));
    direct.is_asked = true;
    AlgorithmResult gemm = result("gemm", rounds(2e-3, 2, 0));
    gemm.is_heuristic = true;
    AlgorithmResult fast = result("winograd", rounds(1e-3, 3, 0));
    for (AlgorithmResult* one : {&direct, &gemm, &fast}) {
        one->layers = 4;
    }
    AlgorithmResult alone = result("direct", rounds(1e-3, 4, 0), "conv2");
    alone.is_asked = true;
    const auto costs = policy_costs(ranked({direct, gemm, fast, alone}));
    ASSERT_EQ(costs.size(), 3U);
    const double unit = median_of(rounds(1e-3, 9, 0).values).value;
    EXPECT_EQ(costs[0].policy, AlgorithmPolicy::user);
    EXPECT_NEAR(costs[0].time / Seconds{unit}, 13, 1e-9);
    EXPECT_NEAR(costs[0].regret / Seconds{unit}, 8, 1e-9);
    EXPECT_EQ(costs[0].slower, 1U);
    EXPECT_NEAR(costs[1].regret / Seconds{unit}, 4, 1e-9);
    EXPECT_EQ(costs[1].unknown, 1U);  // the heuristic was not measured in conv2
    EXPECT_NEAR(costs[2].time / Seconds{unit}, 5, 1e-9);
    EXPECT_EQ(costs[2].regret.value, 0);
}

}  // namespace
}  // namespace strata
