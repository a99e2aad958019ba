// SPDX-License-Identifier: MIT
#include "view/trace_budget.h"

#include "tests/trace/scripted_trace.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata {
namespace {

// Two layers on one stream with a gap before the second, and a concurrent copy without a layer.
Trace scripted() {
    return {.spans = {called(11, "sgemm", 1000, 2000), called(12, "sgemm", 2500, 4000),
                      called(99, "copy", 3500, 4500)},
            .ranges = {{.id = 1, .task = Task{0, Pass::forward}},
                       {.id = 2, .task = Task{1, Pass::backward_data}}},
            .calls = {{11, 1}, {12, 2}},
            .dropped = 2};
}

class TraceView : public ::testing::Test {
protected:
    Table table(const Trace& trace) const {
        const std::vector<std::string> layers = {"conv1", "conv2"};
        return trace_table(budget_of(trace, attribute(trace), 0), layers);
    }
    static double number(const std::vector<Cell>& row, std::size_t column) {
        return std::get<Number>(row.at(column)).value;
    }
};

TEST_F(TraceView, LayersAndClosingLinesMakeUpTheWindow) {
    const Table shown = table(scripted());
    double sum = 0;
    for (const auto& row : shown.rows) {
        sum += number(row, 3);
    }
    ASSERT_EQ(shown.totals.size(), 4u);
    sum += number(shown.totals[0], 3) - number(shown.totals[1], 3) + number(shown.totals[2], 3);
    EXPECT_NEAR(sum, number(shown.totals[3], 3), 1e-15);
    EXPECT_NEAR(number(shown.totals[3], 3), 3.5e-6, 1e-15);
}

TEST_F(TraceView, NamesLayersPassesAndWhatTheDeviceWaitedFor) {
    const Table shown = table(scripted());
    EXPECT_EQ(std::get<std::string>(shown.rows.at(1).at(0)), "conv2");
    EXPECT_EQ(std::get<std::string>(shown.rows.at(1).at(1)), "backward_data");
    EXPECT_NEAR(number(shown.rows.at(1), 5), 0.5e-6, 1e-15);
}

TEST_F(TraceView, SaysWhatIsMissingAndWhy) {
    const auto notes = table(scripted()).notes;
    ASSERT_EQ(notes.size(), 2u);
    EXPECT_NE(notes[0].find("no record"), std::string::npos);
    EXPECT_NE(notes[1].find("2 records were dropped"), std::string::npos);
}

TEST_F(TraceView, AnEmptyTraceHasNoShares) {
    const Table shown = table({});
    EXPECT_TRUE(std::holds_alternative<Missing>(shown.totals.at(3).at(4)));
}

}  // namespace
}  // namespace strata
