// SPDX-License-Identifier: MIT
#include "analyze/instrument_cost.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// A process with its own speed, whose time stamps cost 5 %.
strata::Run process(double speed) {
    strata::Run run = testing::run_of({});
    for (int i = 0; i < 8; ++i) {
        const Seconds time{speed * (1 + 0.001 * i)};
        run.whole.end_to_end.values.push_back(time);
        run.whole.instrumented.values.push_back(1.05 * time);
    }
    return run;
}

TEST(InstrumentCosts, AreMeasuredWithinEachProcess) {
    // (Processes that differ twofold would hide 5 % if their times were compared.)
    const std::vector<strata::Run> runs = {process(1), process(2), process(1.5)};
    const std::vector<InstrumentCost> costs = instrument_costs(runs, "stamps");
    ASSERT_EQ(costs.size(), 1U);
    EXPECT_EQ(costs[0].instrument, "stamps");
    ASSERT_TRUE(costs[0].ratio);
    EXPECT_NEAR(costs[0].ratio->value, 1.05, 1e-9);
    EXPECT_GT(costs[0].ratio->low, 1.04);
    EXPECT_LT(costs[0].ratio->high, 1.06);
    EXPECT_NEAR(costs[0].without->median.value, 1.5 * 1.0035, 1e-9);
}

TEST(InstrumentCosts, OfASingleProcessHaveTheSpreadOfItsSamples) {
    const std::vector<strata::Run> runs = {process(1)};
    const auto cost = instrument_costs(runs, "stamps").front();
    EXPECT_NEAR(cost.ratio->value, 1.05, 1e-9);
    EXPECT_LT(cost.ratio->low, 1.05);
    EXPECT_GT(cost.ratio->high, 1.05);
}

TEST(InstrumentCosts, IncludeARecordingOfKernels) {
    std::vector<strata::Run> runs = {process(1)};
    runs[0].trace.emplace();
    for (const Seconds time : runs[0].whole.end_to_end.values) {
        runs[0].trace->recorded.values.push_back(3 * time);
    }
    const auto costs = instrument_costs(runs, "stamps");
    ASSERT_EQ(costs.size(), 2U);
    EXPECT_NEAR(costs[1].ratio->value, 3, 1e-9);
}

TEST(InstrumentCosts, OfWholeProcessesCompareNeighbours) {
    std::vector<strata::Run> without = {process(1), process(2), process(4)};
    std::vector<strata::Run> with = {process(1.5), process(3), process(6)};
    const auto cost = instrument_cost("a profiler", without, with);
    EXPECT_EQ(cost.instrument, "a profiler");
    EXPECT_NEAR(cost.ratio->value, 1.5, 1e-9);
    EXPECT_LT(cost.ratio->high, 1.55);
    with.pop_back();
    EXPECT_GT(instrument_cost("a profiler", without, with).ratio->high, 2);
}

TEST(InstrumentCosts, AreUnknownIfNothingWasTimedWithoutThem) {
    std::vector<strata::Run> runs = {process(1)};
    runs[0].whole.end_to_end.values.clear();
    const auto cost = instrument_costs(runs, "stamps").front();
    EXPECT_FALSE(cost.without);
    EXPECT_FALSE(cost.ratio);
}

}  // namespace
}  // namespace strata
