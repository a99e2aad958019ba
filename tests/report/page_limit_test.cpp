// SPDX-License-Identifier: MIT
#include "report/page_limit.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr PageLimit small{.rows = 3, .bars = 2, .points = 2, .parts = 2};

Number share(double value) {
    return {.value = value, .unit = "%"};
}

Table table_of_shares(std::initializer_list<double> shares) {
    Table table{.columns = {{"name", "name"}, {"share", "share"}}};
    for (const double one : shares) {
        table.rows.push_back({std::to_string(table.rows.size()), share(one)});
    }
    return table;
}

std::string names_of_rows(const Table& table) {
    std::string names;
    for (const auto& row : table.rows) {
        names += std::get<std::string>(row[0]);
    }
    return names;
}

TEST(PageLimit, KeepsTheHeaviestRowsInTheirOrderAndSaysSo) {
    const Document page = limited_to_page({"", {table_of_shares({1, 9, 2, 8, 7})}}, small);
    const auto& table = std::get<Table>(page.blocks[0]);
    EXPECT_EQ(names_of_rows(table), "134");
    ASSERT_EQ(table.notes.size(), 1U);
    EXPECT_EQ(table.notes[0],
              "The page has the 3 heaviest of 5 rows; strata explain --csv has every step.");
}

TEST(PageLimit, KeepsARowOfATreeWithItsParts) {
    Table tree = table_of_shares({10, 5, 5, 40, 40});
    tree.levels = {0, 1, 1, 0, 1};
    const Document page = limited_to_page({"", {tree}}, small);
    const auto& table = std::get<Table>(page.blocks[0]);
    EXPECT_EQ(names_of_rows(table), "034");
    EXPECT_EQ(table.levels, (std::vector<std::size_t>{0, 0, 1}));
}

TEST(PageLimit, KeepsTheFirstRowsOfATableWithoutShares) {
    Table table = table_of_shares({1, 9, 2, 8});
    table.columns[1].key = "samples";
    const Document page = limited_to_page({"", {table}}, small);
    EXPECT_EQ(names_of_rows(std::get<Table>(page.blocks[0])), "012");
    EXPECT_EQ(std::get<Table>(page.blocks[0]).notes.at(0),
              "The page has the first 3 of 4 rows; --csv has all.");
}

TEST(PageLimit, LeavesASmallDocumentUnchanged) {
    const Document page = limited_to_page({"", {table_of_shares({1, 2, 3})}}, small);
    EXPECT_EQ(names_of_rows(std::get<Table>(page.blocks[0])), "012");
    EXPECT_TRUE(std::get<Table>(page.blocks[0]).notes.empty());
}

TEST(PageLimit, KeepsTheLongestBarsAndTheHeaviestPoints) {
    const StackedBars bars{
        .title = "Time", .labels = {"a", "b", "c"}, .series = {{"x", {1, 3, 2}}}};
    RooflineChart roofline{.title = "Roofline"};
    for (const double one : {0.1, 0.5, 0.4}) {
        roofline.points.push_back({.name = "p", .share = one});
    }
    const Document page = limited_to_page({"", {bars, roofline}}, small);
    const auto& kept = std::get<StackedBars>(page.blocks[0]);
    EXPECT_EQ(kept.labels, (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(kept.series[0].values, (std::vector<std::optional<double>>{3, 2}));
    EXPECT_EQ(kept.title, "Time: the 2 longest of 3 bars");
    EXPECT_EQ(std::get<RooflineChart>(page.blocks[1]).points.size(), 2U);
}

TEST(PageLimit, KeepsTheTablesOfSomeRunsAndNamesTheCommandForTheOthers) {
    Document document;
    for (int run = 0; run < 5; ++run) {
        document.blocks.emplace_back(Heading{std::to_string(run), HeadingLevel::part});
        document.blocks.emplace_back(table_of_shares({1}));
    }
    const Document page = limited_to_page(std::move(document), small);
    ASSERT_EQ(page.blocks.size(), 5U);  // two runs and the sentence
    EXPECT_EQ(std::get<Paragraph>(page.blocks[4]).text,
              "The page has the tables of 2 of 5 runs; strata report RUN writes those of another "
              "run.");
}

}  // namespace
}  // namespace strata
