// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "report/data.h"
#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::string csv_of(Table table) {
    table.records = "rows";
    return render_csv(data_of({.blocks = {std::move(table)}}));
}

TEST(Csv, IsOneTableWithoutTitleTotalsAndNotes) {
    testing::expect_golden("report/sample.csv", render_csv(data_of(testing::sample_document())));
}

TEST(Csv, QuotesWhatWouldBreakALine) {
    EXPECT_EQ(csv_of({.columns = {{"a", ""}, {"b", ""}}, .rows = {{"x,y", "say \"hi\"\nthere"}}}),
              "a,b\n\"x,y\",\"say \"\"hi\"\" there\"\n");
}

TEST(Csv, NumbersReadBackAsTheSameNumber) {
    EXPECT_EQ(csv_of({.columns = {{"a", ""}}, .rows = {{Number{.value = 0.1 + 0.2}}}}),
              "a\n0.30000000000000004\n");
}

TEST(Csv, DigitsAreWrittenAsGiven) {
    EXPECT_EQ(csv_of({.columns = {{"a", ""}},
                      .rows = {{Verbatim{"9007199254740993", 9007199254740992}}}}),
              "a\n9007199254740993\n");
}

TEST(Csv, WhatIsMissingIsEmptyAndNeverZero) {
    EXPECT_EQ(
        csv_of({.columns = {{"a", ""}, {"b", ""}}, .rows = {{Missing{"why"}, Number{.value = 0}}}}),
        "a,b\n,0\n");
}

TEST(Csv, ADocumentWithoutRecordsIsEmpty) {
    EXPECT_EQ(render_csv(data_of({.blocks = {Heading{"nothing"}}})), "");
}

}  // namespace
}  // namespace strata
