// SPDX-License-Identifier: MIT
#include "report/table_text.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Table times(std::vector<double> seconds) {
    Table table{.columns = {{"t", "time"}}};
    for (const double value : seconds) {
        table.rows.push_back({Number{.value = value, .unit = "s"}});
    }
    return table;
}

TEST(TableText, AColumnHasOneScaleAndNamesItInItsHeader) {
    const TableText text = text_of(times({0.0123, 0.00045}));
    EXPECT_EQ(text.columns[0].title, "time [ms]");
    EXPECT_EQ(text.rows[0][0].whole(), "12.3");
    EXPECT_EQ(text.rows[1][0].whole(), "0.450");
}

TEST(TableText, ColumnsThatAreReadTogetherHaveOneScale) {
    Table table = times({0.0123});
    table.columns.push_back({"u", "other"});
    table.rows[0].push_back(Number{.value = 0.00045, .unit = "s"});
    EXPECT_EQ(text_of(table).columns[1].title, "other [µs]");
    for (Column& column : table.columns) {
        column.read_with = "side";
    }
    const TableText text = text_of(table);
    EXPECT_EQ(text.columns[0].title, "time [ms]");
    EXPECT_EQ(text.columns[1].title, "other [ms]");
    EXPECT_EQ(text.rows[0][1].whole(), "0.450");
}

TEST(TableText, OneLongRowDoesNotMakeTheOthersUnreadable) {
    EXPECT_EQ(text_of(times({1.2, 0.030})).columns[0].title, "time [ms]");
}

TEST(TableText, AColumnOfMixedUnitsNamesThemInTheCells) {
    Table table{
        .columns = {{"v", "value"}},
        .rows = {{Number{.value = 2e9, .unit = "FLOP/s"}}, {Number{.value = 3, .unit = "s"}}}};
    const TableText text = text_of(table);
    EXPECT_EQ(text.columns[0].title, "value");
    EXPECT_EQ(text.rows[0][0].whole(), "2.00 GFLOP/s");
    EXPECT_EQ(text.rows[1][0].whole(), "3.00 s");
}

TEST(TableText, NumbersAmongTextsKeepTheirUnits) {
    Table table = times({0.5});
    table.rows.push_back({"unknown"});
    const TableText text = text_of(table);
    EXPECT_EQ(text.columns[0].title, "time");
    EXPECT_EQ(text.rows[0][0].whole(), "500 ms");
}

TEST(TableText, AMissingValueIsADashAndNeverZero) {
    Table table = times({0.5});
    table.rows.push_back({Missing{}});
    EXPECT_EQ(text_of(table).rows[1][0].whole(), "–");
}

TEST(TableText, EqualReasonsShareAFootnote) {
    Table table = times({0.5});
    table.rows.push_back({Missing{"no kernel"}});
    table.rows.push_back({Missing{"too large"}});
    table.rows.push_back({Missing{"no kernel"}});
    const TableText text = text_of(table);
    EXPECT_EQ(text.rows[1][0].whole(), "–¹");
    EXPECT_EQ(text.rows[2][0].whole(), "–²");
    EXPECT_EQ(text.rows[3][0].whole(), "–¹");
    EXPECT_EQ(text.notes, (std::vector<std::string>{"¹ no kernel", "² too large"}));
}

TEST(TableText, ModelledNumbersAreExplainedBelow) {
    Table table{.columns = {{"t", "time"}},
                .rows = {{Number{.value = 1, .unit = "s", .provenance = Provenance::modelled}}}};
    EXPECT_EQ(text_of(table).notes.size(), 1u);
}

TEST(TableText, AnEmptyTableHasHeadersOnly) {
    const TableText text = text_of({.columns = {{"a", "first"}}});
    EXPECT_EQ(text.columns[0].title, "first");
    EXPECT_TRUE(text.rows.empty());
}

TEST(TableText, ATreeNamesItsAncestorsOnce) {
    const TableText text = text_of({.columns = {{"block", "block"}, {"layer", "layer"}},
                                    .rows = {{"a", ""}, {"a", "a1"}, {"b", ""}},
                                    .levels = {0, 1, 0}});
    EXPECT_EQ(text.rows[0][0].whole(), "a");
    EXPECT_EQ(text.rows[1][0].whole(), "");
    EXPECT_EQ(text.rows[1][1].whole(), "a1");
    EXPECT_EQ(text.rows[2][0].whole(), "b");
}

}  // namespace
}  // namespace strata
