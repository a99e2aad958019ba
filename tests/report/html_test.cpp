// SPDX-License-Identifier: MIT
#include "report/render.h"

#include "tests/report/sample_document.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::sample_document;

std::size_t count(const std::string& text, std::string_view what) {
    std::size_t found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++found;
    }
    return found;
}

bool contains(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

TEST(Html, NamesCannotBecomeMarkup) {
    const std::string html = render_html(sample_document());
    EXPECT_FALSE(contains(html, "<script>alert"));
    EXPECT_FALSE(contains(html, "<b>fc8"));
    EXPECT_TRUE(contains(html, "&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(Html, OnlyItsOwnThreeScriptsEnd) {
    // Figures, Chart.js and the report's own; a name with "</script>" stands among the figures.
    EXPECT_EQ(count(render_html(sample_document()), "</script"), 3u);
}

TEST(Html, TextCannotEscapeFromAttributes) {
    const Table table{.columns = {{"a", "a"}}, .rows = {{Missing{"\" onmouseover=\"x"}}}};
    EXPECT_FALSE(contains(render_html({.blocks = {table}}), "\" onmouseover"));
}

TEST(Html, TheSecurityPolicyComesBeforeAnythingForeign) {
    const std::string html = render_html(sample_document());
    EXPECT_LT(html.find("default-src 'none'"), html.find("A sample"));
}

TEST(Html, FetchesNothing) {
    const std::string html = render_html({});
    EXPECT_FALSE(contains(html, " src="));
    EXPECT_FALSE(contains(html, "<link"));
    EXPECT_FALSE(contains(html, "@import"));
}

TEST(Html, CarriesTheNoticeOfChartJs) {
    const std::string html = render_html({});
    EXPECT_TRUE(contains(html, "Chart.js Contributors"));
    EXPECT_TRUE(contains(html, "Permission is hereby granted"));
}

TEST(Html, TheTablesReadWithoutJavaScript) {
    const std::string html = render_html(sample_document());
    const std::string before_scripts = html.substr(0, html.find("<script"));
    EXPECT_TRUE(contains(before_scripts, "time [ms]"));
    EXPECT_TRUE(contains(before_scripts, "data-value=\"0.0123456\""));
    EXPECT_TRUE(contains(before_scripts, "by the convention multiply-add-2"));
}

TEST(Html, ABarWithoutValuesIsNotZero) {
    const std::string html = render_html(
        {.blocks = {StackedBars{
             .unit = "s", .labels = {"none"}, .series = {{"forward", {std::nullopt}}}}}});
    EXPECT_TRUE(contains(html, "<th scope=\"row\">none</th><td class=\"number\">–</td>"));
}

TEST(Html, EveryBarsLabelAndSumIsText) {
    StackedBars bars{.unit = "s", .series = {{"forward", {}}}};
    for (int i = 0; i < 200; ++i) {
        bars.labels.push_back("layer" + std::to_string(i));
        bars.series[0].values.emplace_back(1e-3 * (i + 1));
    }
    const std::string html = render_html({.blocks = {bars}});
    EXPECT_TRUE(contains(html, "<th scope=\"row\">layer199</th>"));
    EXPECT_TRUE(contains(html, "data-value=\"0.2\">200</td>"));
    EXPECT_TRUE(contains(html, "style=\"width:50.00%\" title=\"forward 100 ms\""));
    EXPECT_FALSE(contains(html, "<canvas"));
}

TEST(Html, BarsInCellsAreRelativeToTheLargestAndGaugesToTheWhole) {
    const std::string html = render_html(sample_document());
    EXPECT_TRUE(contains(html, "data-value=\"60\" style=\"--bar-length:100.0%\""));
    EXPECT_TRUE(contains(html, "data-value=\"91\" style=\"--bar-length:91.0%\""));
}

TEST(Html, AShareBeyondTheCeilingFillsItsGaugeAndNoMore) {
    const Table table{.columns = {{.key = "a", .title = "a", .form = CellForm::gauge}},
                      .rows = {{Number{.value = 250, .unit = "%"}}}};
    EXPECT_TRUE(contains(render_html({.blocks = {table}}), "--bar-length:100.0%"));
}

TEST(Html, HeadingsAreListedIfThereAreSeveral) {
    const Document few{.blocks = {Heading{"one"}, Heading{"two"}}};
    EXPECT_FALSE(contains(render_html(few), "<nav"));
    const Document parts{.blocks = {Heading{"one"}, Heading{"A <part>", HeadingLevel::part},
                                    Heading{"in it"}, Heading{"B", HeadingLevel::part}}};
    const std::string html = render_html(parts);
    EXPECT_TRUE(contains(html, "<a href=\"#s2\">A &lt;part&gt;</a>"));
    EXPECT_FALSE(contains(html, ">in it</a>"));
    EXPECT_EQ(count(html, "<details class=\"part\""), 2u);
    EXPECT_EQ(count(html, "</details>"), 2u);
}

TEST(Html, TheSameDocumentGivesTheSameBytes) {
    EXPECT_EQ(render_html(sample_document()), render_html(sample_document()));
}

}  // namespace
}  // namespace strata
