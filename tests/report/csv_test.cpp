// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "report/data.h"
#include "report/unicode.h"
#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::string csv_of(Table table, FormulaText formulas = FormulaText::marked) {
    table.records = "rows";
    return render_csv(data_of({.blocks = {std::move(table)}}), formulas);
}

TEST(Csv, IsOneTableWithoutTitleTotalsAndNotes) {
    testing::expect_golden("report/sample.csv", render_csv(data_of(testing::sample_document())));
}

TEST(Csv, QuotesWhatWouldBreakALine) {
    EXPECT_EQ(csv_of({.columns = {{"a", ""}, {"b", ""}}, .rows = {{"x,y", "say \"hi\"\nthere"}}}),
              "a,b\n\"x,y\",\"say \"\"hi\"\" there\"\n");
}

TEST(Csv, AFormulaForASpreadsheetBecomesText) {
    for (const std::string name :
         {"=1+1", "+cmd", "-2+3", "@SUM(A1)", " =1+1", "\t=1", "\rx", "＝1"}) {
        const Table table{.columns = {{"a", ""}}, .rows = {{name}}};
        EXPECT_EQ(csv_of(table), "a\n'" + clean_text(name) + "\n");
        EXPECT_EQ(csv_of(table, FormulaText::as_it_is), "a\n" + clean_text(name) + "\n");
        EXPECT_EQ(csv_of({.columns = {{name, ""}}, .rows = {{"x"}}}),
                  "'" + clean_text(name) + "\nx\n");
    }
    EXPECT_EQ(csv_of({.columns = {{"a", ""}}, .rows = {{"=a,\"b\""}}}), "a\n\"'=a,\"\"b\"\"\"\n");
}

TEST(Csv, NumbersAndOtherTextAreNotMarked) {
    for (const std::string text : {"-1", "+2.5e3", "a=b", "conv+relu", "", "'x"}) {
        EXPECT_EQ(csv_of({.columns = {{"a", ""}}, .rows = {{text}}}), "a\n" + text + "\n");
    }
    EXPECT_EQ(csv_of({.columns = {{"a", ""}}, .rows = {{Number{.value = -1}}}}), "a\n-1\n");
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

TEST(Csv, AMissingValueIsEmptyAndNeverZero) {
    EXPECT_EQ(
        csv_of({.columns = {{"a", ""}, {"b", ""}}, .rows = {{Missing{"why"}, Number{.value = 0}}}}),
        "a,b\n,0\n");
}

TEST(Csv, ADocumentWithoutRecordsIsEmpty) {
    EXPECT_EQ(render_csv(data_of({.blocks = {Heading{"nothing"}}})), "");
}

}  // namespace
}  // namespace strata
