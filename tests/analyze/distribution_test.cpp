// SPDX-License-Identifier: MIT
#include "analyze/distribution.h"

#include "tests/support/error_message.h"
#include "tests/support/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

using testing::observed;

std::vector<const Observation*> pointers(const Observations& all) {
    std::vector<const Observation*> runs;
    for (const Observation& run : all.runs) {
        runs.push_back(&run);
    }
    return runs;
}

TEST(Distribution, AMapHasTheMedianOverAllOtherDifferences) {
    Observations all;
    for (const int layers : {1, 2, 3}) {
        all.runs.push_back(observed("a", layers, 64, 8, 1.0 * layers));
        all.runs.push_back(observed("a", layers, 128, 16, 4));
    }
    const HeatMap map = heat_map(all, pointers(all), ObservedMetric::time, "batch", "nodes");
    EXPECT_EQ(map.columns, (std::vector<double>{8, 16}));
    EXPECT_EQ(map.rows, (std::vector<double>{64, 128}));
    ASSERT_TRUE(map.cells[0][0].has_value());
    EXPECT_EQ(map.cells[0][0]->median, 2);
    EXPECT_EQ(map.cells[0][0]->count, 3u);
    EXPECT_FALSE(map.cells[0][1].has_value());  // no run, which is not 0
    EXPECT_NE(error_of([&] {
                  heat_map(all, pointers(all), ObservedMetric::time, "batch", "wings");
              }).find("no run has batch, wings"),
              std::string::npos);
    for (int nodes = 1; nodes <= 101; ++nodes) {
        all.runs.push_back(observed("a", 1, nodes, 8, 1));
    }
    EXPECT_NE(error_of([&] {
                  heat_map(all, pointers(all), ObservedMetric::time, "batch", "nodes");
              }).find("room for 100"),
              std::string::npos);
}

TEST(Distribution, PercentilesLieBetweenNeighboursAndNeverFall) {
    const std::vector<double> values = {0, 10, 20, 30, 40};
    EXPECT_EQ(sorted_quantile(values, 0.5), 20);
    EXPECT_DOUBLE_EQ(sorted_quantile(values, 0.02), 0.8);
    EXPECT_EQ(sorted_quantile(values, 1), 40);
    EXPECT_EQ(sorted_quantile(std::vector<double>{7}, 0.91), 7);
    Observations all;
    for (int i = 1; i <= 20; ++i) {
        all.runs.push_back(observed(i % 2 == 0 ? "a" : "b", 1, 8, i <= 10 ? 1 : 2, i));
    }
    for (const char* by : {"", "batch"}) {
        const auto boxes = boxes_of(all, pointers(all), ObservedMetric::time, by);
        ASSERT_EQ(boxes.size(), 2u);
        EXPECT_EQ(boxes[0].count, 10u);
        EXPECT_TRUE(std::ranges::is_sorted(boxes[0].percentiles));
    }
    EXPECT_EQ(boxes_of(all, pointers(all), ObservedMetric::time, "batch")[1].group, "batch 2");
}

TEST(Distribution, TimeInProportionToWorkCorrelatesFullyWithSlopeOne) {
    Observations all;
    for (const double work : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        all.runs.push_back(observed("a", 1, 8, 1, 3 * work, 1e9 * work));
    }
    const auto line = work_correlation(pointers(all));
    ASSERT_TRUE(line.has_value());
    EXPECT_NEAR(line->correlation, 1, 1e-12);
    EXPECT_NEAR(line->slope, 1, 1e-12);
    all.runs[4].time = {Seconds{1}, Seconds{1}, Seconds{1}};
    const auto other = work_correlation(pointers(all));
    EXPECT_LT(other->correlation, 0.9);
    EXPECT_LT(other->interval.low, other->correlation);
    EXPECT_GT(other->interval.high, other->correlation);
    all.runs.resize(3);
    EXPECT_FALSE(work_correlation(pointers(all)).has_value());
}

}  // namespace
}  // namespace strata
