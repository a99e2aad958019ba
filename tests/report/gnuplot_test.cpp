// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "tests/report/sample_document.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace strata {
namespace {

TEST(Gnuplot, HoldsEveryChartWithItsFigures) {
    testing::expect_golden("report/sample.gp", render_gnuplot(testing::sample_document()));
}

// Inside single quotes nothing is expanded, and a name's own quotes do not end them.
TEST(Gnuplot, NamesAreTakenLiterally) {
    const std::string script = render_gnuplot(
        {.title = "a\nsystem 'x'",
         .blocks = {XyChart{.title = "it's `date`",
                            .series = {{"\"; system 'x'", Mark::points, {{"\"\n`x`", 1, 1}}}}}}});
    EXPECT_EQ(script.find('`'), std::string::npos);
    EXPECT_NE(script.find("set title 'it''s date'"), std::string::npos);
    EXPECT_NE(script.find("title '\"; system ''x'''"), std::string::npos);
    EXPECT_EQ(script.find("\nsystem"), std::string::npos);
}

TEST(Gnuplot, ADocumentWithoutChartsIsAComment) {
    EXPECT_NE(render_gnuplot({.title = "t"}).find("# this document has no chart"),
              std::string::npos);
}

TEST(Gnuplot, AcceptsTheScript) {
    if (std::system("gnuplot --version >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "gnuplot is not installed";
    }
    const TemporaryDirectory folder;
    const auto script = folder.write(
        "chart.gp", "set terminal dumb\n" + render_gnuplot(testing::sample_document()));
    const auto messages = folder.path() / "messages";
    EXPECT_EQ(
        std::system(("gnuplot " + script.string() + " >/dev/null 2>" + messages.string()).c_str()),
        0);
    EXPECT_EQ(testing::text_of_file(messages), "");
}

}  // namespace
}  // namespace strata
