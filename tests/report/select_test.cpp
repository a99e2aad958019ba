// SPDX-License-Identifier: MIT
#include "report/select.h"

#include "base/error.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Document three_rows() {
    const auto number = [](double value) { return Number{.value = value, .unit = "s"}; };
    return {
        .title = "t",
        .blocks = {Table{.title = "steps",
                         .columns = {{"layer", "layer"}, {"time", "time"}},
                         .rows = {{"a", number(1)}, {"b", Missing{"skipped"}}, {"c", number(3)}},
                         .totals = {{"total", number(4)}},
                         .notes = {}}}};
}

const Table& table_of(const Document& document) {
    return std::get<Table>(document.blocks.front());
}

std::string text_at(const Table& table, std::size_t row, std::size_t column) {
    return std::get<std::string>(table.rows[row][column]);
}

TEST(Select, NothingAskedChangesNothing) {
    EXPECT_EQ(table_of(select(three_rows(), {})).rows.size(), 3U);
}

TEST(Select, SortingPutsTheLargestFirstAndTheUnmeasuredLast) {
    const Document sorted = select(three_rows(), {.columns = {}, .sort = "time"});
    EXPECT_EQ(text_at(table_of(sorted), 0, 0), "c");
    EXPECT_EQ(text_at(table_of(sorted), 2, 0), "b");
}

TEST(Select, TheTopIsTakenAfterSortingAndTotalsStay) {
    const Document top = select(three_rows(), {.columns = {}, .sort = "time", .top = 1});
    ASSERT_EQ(table_of(top).rows.size(), 1U);
    EXPECT_EQ(text_at(table_of(top), 0, 0), "c");
    EXPECT_EQ(table_of(top).totals.size(), 1U);
}

TEST(Select, ColumnsComeInTheOrderAskedForAlsoInTotals) {
    const Document chosen = select(three_rows(), {.columns = {"time", "layer"}});
    EXPECT_EQ(table_of(chosen).columns.front().key, "time");
    EXPECT_EQ(text_at(table_of(chosen), 0, 1), "a");
    EXPECT_EQ(std::get<std::string>(table_of(chosen).totals[0][1]), "total");
}

TEST(Select, AnUnknownColumnIsRefusedWithTheKnownOnes) {
    try {
        select(three_rows(), {.columns = {"tmie"}});
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find("layer, time"), std::string::npos);
    }
}

}  // namespace
}  // namespace strata
