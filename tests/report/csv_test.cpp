// SPDX-License-Identifier: MIT
#include "report/csv.h"

#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Csv, RendersTheTablesOnly) {
    testing::expect_golden("report/sample.csv", render_csv(testing::sample_document()));
}

TEST(Csv, QuotesWhatWouldBreakALine) {
    const Table table{.columns = {{"a", ""}, {"b", ""}}, .rows = {{"x,y", "say \"hi\"\nthere"}}};
    EXPECT_EQ(render_csv({.blocks = {table}}), "a,b\n\"x,y\",\"say \"\"hi\"\" there\"\n");
}

TEST(Csv, NumbersReadBackAsTheSameNumber) {
    const Table table{.columns = {{"a", ""}}, .rows = {{Number{.value = 0.1 + 0.2}}}};
    EXPECT_EQ(render_csv({.blocks = {table}}), "a\n0.30000000000000004\n");
}

TEST(Csv, WhatIsMissingIsEmptyAndNeverZero) {
    const Table table{.columns = {{"a", ""}, {"b", ""}},
                      .rows = {{Missing{"why"}, Number{.value = 0}}}};
    EXPECT_EQ(render_csv({.blocks = {table}}), "a,b\n,0\n");
}

TEST(Csv, ModelledNumbersSaySo) {
    const Table table{.columns = {{"a", ""}},
                      .rows = {{Number{.value = 1, .provenance = Provenance::modelled}}}};
    EXPECT_EQ(render_csv({.blocks = {table}}), "a,a_provenance\n1,modelled\n");
}

}  // namespace
}  // namespace strata
