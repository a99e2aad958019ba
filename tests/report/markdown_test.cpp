// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Markdown, RendersEveryBlock) {
    testing::expect_golden("report/sample.md", render_markdown(testing::sample_document()));
}

TEST(Markdown, NamesCannotBecomeMarkup) {
    const Table table{.columns = {{"n", "name"}}, .rows = {{"a|b*c*<i>__d__"}}};
    EXPECT_NE(render_markdown({.blocks = {table}}).find("a\\|b\\*c\\*&lt;i&gt;\\_\\_d\\_\\_"),
              std::string::npos);
}

TEST(Markdown, NamesCannotBecomeLinks) {
    EXPECT_EQ(render_markdown({.blocks = {Paragraph{"[x](http://y) [ms]"}}}),
              "[x\\](http://y) [ms]\n");
}

TEST(Markdown, UnderscoresInsideAWordStay) {
    EXPECT_EQ(render_markdown({.blocks = {Paragraph{"backward_data"}}}), "backward_data\n");
}

}  // namespace
}  // namespace strata
