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
        .blocks = {
            Table{.title = "steps",
                  .columns = {{"layer", "layer"},
                              {"median_s", "time"},
                              {.key = "created", .title = "created", .order = Order::newest_first},
                              unit_column("flop_per_s", "FLOP/s"),
                              data_column("median_run")},
                  .rows = {{"a", number(1), "2026-11-21", Missing{}, "x"},
                           {"b", Missing{"skipped"}, "2026-11-23", Missing{}, "y"},
                           {"c", number(3), "2026-11-22", Missing{}, "z"}},
                  .totals = {{"total", number(4), "", Missing{}, ""}},
                  .notes = {},
                  .records = "steps"},
            Table{.title = "doubts", .columns = {{"doubt", "doubt"}}, .rows = {{"p"}, {"q"}}}}};
}

const Table& table_of(const Document& document) {
    return std::get<Table>(document.blocks.front());
}

std::string layers_of(const Document& document) {
    std::string layers;
    for (const auto& row : table_of(document).rows) {
        layers += std::get<std::string>(row[0]);
    }
    return layers;
}

std::string sorted_by(const std::string& sort) {
    return layers_of(select(three_rows(), {.sort = sort}));
}

TEST(Select, AnEmptySelectionChangesNothing) {
    EXPECT_EQ(layers_of(select(three_rows(), {})), "abc");
}

TEST(Select, SortingPutsTheLargestFirstAndTheUnmeasuredLast) {
    EXPECT_EQ(sorted_by("time"), "cab");
    EXPECT_EQ(sorted_by("-time"), "cab");
    EXPECT_EQ(sorted_by("+time"), "acb");
}

TEST(Select, NamesAreSortedAlphabeticallyAndDatesNewestFirst) {
    EXPECT_EQ(sorted_by("layer"), "abc");
    EXPECT_EQ(sorted_by("-layer"), "cba");
    EXPECT_EQ(sorted_by("created"), "bca");
    EXPECT_EQ(sorted_by("+created"), "acb");
}

TEST(Select, TheTopIsTakenAfterSortingAndTotalsStay) {
    const Document top = select(three_rows(), {.columns = {}, .sort = "time", .top = 1});
    EXPECT_EQ(layers_of(top), "c");
    EXPECT_EQ(table_of(top).totals.size(), 1U);
}

TEST(Select, OtherTablesAreLeftAlone) {
    const Document top = select(three_rows(), {.columns = {"layer"}, .sort = "time", .top = 1});
    EXPECT_EQ(std::get<Table>(top.blocks[1]).rows.size(), 2U);
}

TEST(Select, ColumnsAreInTheRequestedOrderAlsoInTotals) {
    const Document chosen = select(three_rows(), {.columns = {"median_s", "layer"}});
    EXPECT_EQ(table_of(chosen).columns.front().key, "median_s");
    EXPECT_EQ(std::get<std::string>(table_of(chosen).rows[0][1]), "a");
    EXPECT_EQ(std::get<std::string>(table_of(chosen).totals[0][1]), "total");
}

TEST(Select, ColumnsAreNamedByTheirHeading) {
    const Document chosen =
        select(three_rows(), {.columns = {"time", "Time [ms]", "GFLOP/s", "FLOP/s", "median run"}});
    EXPECT_EQ(table_of(chosen).columns[1].key, "median_s");
    EXPECT_EQ(table_of(chosen).columns[2].key, "flop_per_s");
    EXPECT_EQ(table_of(chosen).columns[4].key, "median_run");
}

TEST(Select, AColumnForDataIsShownToPeopleWhoNameIt) {
    const Document chosen = select(three_rows(), {.columns = {"median_run"}});
    EXPECT_EQ(table_of(chosen).columns[0].audience, Audience::all);
}

TEST(Select, AnUnknownColumnIsRefusedWithTheKnownOnesBeforeThereIsATable) {
    const Document document = three_rows();
    const auto& columns = table_of(document).columns;
    for (const Selection& wrong : {Selection{.columns = {"tmie"}}, Selection{.sort = "-tmie"}}) {
        try {
            require_columns(columns, wrong);
            FAIL() << "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what())
                          .find("layer, time (median_s), created, FLOP/s (flop_per_s)"),
                      std::string::npos)
                << error.what();
        }
    }
}

}  // namespace
}  // namespace strata
