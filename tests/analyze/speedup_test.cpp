// SPDX-License-Identifier: MIT
#include "analyze/speedup.h"

#include "tests/support/observation.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::observed;

// "new" against "old": it wins from a batch of 64 on, for any number of nodes.
struct TwoPlatforms {
    std::vector<Observation> runs;
    std::vector<const Observation*> fresh, old;

    TwoPlatforms() {
        for (const int nodes : {8, 16}) {
            for (const int batch : {16, 32, 64, 128}) {
                runs.push_back(observed("new", 1, nodes, batch, 1));
                runs.push_back(observed("old", 1, nodes, batch, batch / 48.0));
            }
        }
        runs.push_back(observed("new", 1, 32, 16, 1));  // the old one has no such run
        for (const Observation& run : runs) {
            (run.backend == "new" ? fresh : old).push_back(&run);
        }
    }
};

TEST(Speedup, EqualNetworksAndBatchesArePaired) {
    const TwoPlatforms two;
    const auto pairs = pairs_of(two.fresh, two.old);
    ASSERT_EQ(pairs.size(), 8u);
    for (const SpeedupPair& pair : pairs) {
        EXPECT_EQ(pair.run->network, pair.baseline->network);
        EXPECT_DOUBLE_EQ(pair.speedup, static_cast<double>(pair.run->batch) / 48);
    }
    const SpeedupSummary summary = summary_of(pairs);
    EXPECT_EQ(summary.wins, 4u);
    EXPECT_DOUBLE_EQ(summary.smallest, 16.0 / 48);
    EXPECT_DOUBLE_EQ(summary.largest, 128.0 / 48);
    EXPECT_DOUBLE_EQ(summary.median, 1);
    const auto back = pairs_of(two.old, two.fresh);
    for (std::size_t i = 0; i < back.size(); ++i) {
        EXPECT_DOUBLE_EQ(back[i].speedup * pairs[i].speedup, 1);
    }
}

TEST(Speedup, TheSplitNamesTheDecidingHyperparameter) {
    const TwoPlatforms two;
    const auto pairs = pairs_of(two.fresh, two.old);
    const std::vector<std::string> parameters = {"nodes", "batch"};
    const auto split = winner_split(pairs, parameters);
    ASSERT_TRUE(split.has_value());
    EXPECT_EQ(split->parameter, "batch");
    EXPECT_EQ(split->threshold, 64);
    EXPECT_EQ(split->above_wins, split->above);
    EXPECT_EQ(split->below_wins, 0u);
    EXPECT_EQ(split->impurity(), 0);
    EXPECT_FALSE(winner_split(std::span(pairs).first(2), parameters).has_value());  // one winner
    EXPECT_FALSE(winner_split({}, parameters).has_value());
}

TEST(Speedup, RunsWithoutTheMetricOrTheHyperparameterAreLeftOutOfARegression) {
    Observations all;
    all.runs = {observed("a", 1, 8, 1, 1), observed("a", 1, 16, 1, 2), observed("a", 1, 32, 1, 3)};
    all.runs[1].time.reset();
    const std::vector<const Observation*> runs = {&all.runs[0], &all.runs[1], &all.runs[2]};
    const std::vector<std::string> nodes = {"nodes"}, wings = {"wings"};
    EXPECT_EQ(regression_data(all, runs, ObservedMetric::time, nodes).target,
              (std::vector<double>{1, 3}));
    EXPECT_TRUE(regression_data(all, runs, ObservedMetric::time, wings).target.empty());
}

}  // namespace
}  // namespace strata
