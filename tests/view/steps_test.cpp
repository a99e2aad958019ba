// SPDX-License-Identifier: MIT
#include "view/steps.h"

#include "report/csv.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

const std::vector<Cell>& row_of(const Table& table, std::string_view layer, std::string_view pass) {
    return *std::ranges::find_if(table.rows, [&](const auto& row) {
        return std::get<std::string>(row[0]) == layer && std::get<std::string>(row[1]) == pass;
    });
}

TEST(Steps, WhatCouldNotRunHasAReasonAndNoNumber) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const Table table = steps_table(findings_of(run));
    const auto& row = row_of(table, "lrn2", "backward_data");
    EXPECT_EQ(std::get<Missing>(row[2]).reason,
              "skipped: lrn: within-channel mode is not in onednn");
    EXPECT_TRUE(std::ranges::none_of(
        row, [](const Cell& cell) { return std::holds_alternative<Number>(cell); }));
}

TEST(Steps, ReordersAreNamedAsSuch) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const Table table = steps_table(findings_of(run));
    EXPECT_TRUE(std::holds_alternative<Number>(row_of(table, "conv2", "forward reorder")[2]));
}

TEST(Steps, AFilterChangesTheRowsAndNotTheSums) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const RunFindings findings = findings_of(run);
    const Table all = steps_table(findings);
    const Table some = steps_table(findings, {.layers = "fc*", .passes = {}});
    EXPECT_LT(some.rows.size(), all.rows.size());
    EXPECT_EQ(std::get<Number>(some.totals.back()[2]).value,
              std::get<Number>(all.totals.back()[2]).value);
    EXPECT_NE(some.notes.front().find("steps shown"), std::string::npos);
}

TEST(Steps, AModelsNumbersAreMarked) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.origin = Origin::modelled;
    const Table table = steps_table(findings_of(run));
    for (const std::size_t column : {2u, 3u, 4u, 5u}) {
        EXPECT_EQ(std::get<Number>(table.rows[0][column]).provenance, Provenance::modelled);
    }
}

TEST(Steps, TheExportHoldsEverythingInTheOrderOfExecution) {
    testing::expect_golden(
        "view/steps-alexnet-4.csv",
        render_csv(steps_document(testing::scripted_run_with_holes("alexnet", 4))));
}

TEST(Steps, StatusSaysWhatBecameOfAStep) {
    EXPECT_EQ(status_of(Samples{{Seconds{1}}}), "measured");
    EXPECT_EQ(status_of(Skipped{"no kernel"}), "skipped: no kernel");
    EXPECT_EQ(status_of(Included{"conv1 forward"}), "included: conv1 forward");
    EXPECT_EQ(status_of(Failed{"differs"}), "failed: differs");
    EXPECT_EQ(status_of(Samples{}), "skipped: no sample was taken");
}

}  // namespace
}  // namespace strata
