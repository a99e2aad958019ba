// SPDX-License-Identifier: MIT
#include "report/data.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Table steps(const std::string& layer) {
    return {
        .columns = {people_column("layer", "layer"),
                    data_column("layer"),
                    {"median_s", "time", Importance::essential, Audience::all, Bounds::interval},
                    {"share", "share"}},
        .rows = {{"* " + layer, layer, Number{.value = 2, .unit = "s", .low = 1.5, .high = 2.5},
                  Number{.value = 25, .unit = "%"}}},
        .totals = {{"all", "", Number{.value = 2, .unit = "s"}, Missing{}}},
        .notes = {"a note"},
        .records = "steps"};
}

const Table& first_table(const Document& document) {
    return std::get<Table>(document.blocks.front());
}

std::vector<std::string> keys_of(const Table& table) {
    std::vector<std::string> keys;
    for (const Column& column : table.columns) {
        keys.push_back(column.key);
    }
    return keys;
}

TEST(Data, EndsOfIntervalsAreColumnsAndColumnsForPeopleAreGone) {
    const Document data = data_of({.blocks = {steps("conv1")}});
    EXPECT_EQ(keys_of(first_table(data)),
              (std::vector<std::string>{"layer", "median_s", "low_s", "high_s", "share"}));
    const auto& row = first_table(data).rows.front();
    EXPECT_EQ(std::get<std::string>(row[0]), "conv1");
    EXPECT_EQ(std::get<Number>(row[2]).value, 1.5);
    EXPECT_EQ(std::get<Number>(row[3]).value, 2.5);
}

TEST(Data, ColumnsAreTheSameWhetherAnyNumberHasAnIntervalOrNot) {
    Table table = steps("conv1");
    table.rows[0][2] = Missing{"skipped"};
    EXPECT_EQ(keys_of(first_table(data_of({.blocks = {table}}))),
              keys_of(first_table(data_of({.blocks = {steps("conv1")}}))));
}

TEST(Data, SharesAreFractions) {
    const Document data = data_of({.blocks = {steps("conv1")}});
    EXPECT_EQ(std::get<Number>(first_table(data).rows[0][4]).value, 0.25);
}

TEST(Data, TotalsAndNotesAreOnlyForPeople) {
    const Document data = data_of({.blocks = {steps("conv1")}});
    EXPECT_TRUE(first_table(data).totals.empty());
    EXPECT_TRUE(first_table(data).notes.empty());
}

TEST(Data, TablesOfOneNameAreOneListAndTablesWithoutANameAreForPeople) {
    const Document data = data_of({.blocks = {Heading{"runs"}, steps("conv1"),
                                              Table{.columns = {{"part", "part"}}}, steps("fc8")}});
    ASSERT_EQ(data.blocks.size(), 1U);
    ASSERT_EQ(first_table(data).rows.size(), 2U);
    EXPECT_EQ(std::get<std::string>(first_table(data).rows[1][0]), "fc8");
}

TEST(Data, DataIsUnchanged) {
    const Document data = data_of({.blocks = {steps("conv1")}});
    const Document again = data_of(data);
    EXPECT_EQ(keys_of(first_table(again)), keys_of(first_table(data)));
    EXPECT_EQ(std::get<Number>(first_table(again).rows[0][4]).value, 0.25);
}

TEST(Data, TheEndsOfAnIntervalAreNamedBeforeTheUnit) {
    EXPECT_EQ(key_of_end("median_s", "low"), "low_s");
    EXPECT_EQ(key_of_end("end_to_end_s", "high"), "end_to_end_high_s");
    EXPECT_EQ(key_of_end("examples_per_s", "low"), "examples_low_per_s");
    EXPECT_EQ(key_of_end("ratio", "low"), "ratio_low");
}

}  // namespace
}  // namespace strata
