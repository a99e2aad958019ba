// SPDX-License-Identifier: MIT
#include "tests/support/browser.h"
#include "report/render.h"
#include "tests/report/sample_document.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

class InTheBrowser : public ::testing::Test {
protected:
    void SetUp() override {
        if (!testing::has_browser()) {
            GTEST_SKIP() << "chromium is not installed";
        }
    }
};

TEST_F(InTheBrowser, ChartsAndTablesAppear) {
    EXPECT_EQ(testing::selftest_of(testing::dom_of(render_html(testing::sample_document()))), "ok");
}

TEST_F(InTheBrowser, AnEmptyDocumentAppears) {
    EXPECT_EQ(testing::selftest_of(testing::dom_of(render_html({}))), "ok");
}

// The page after a further script has modified it.
std::string dom_after(std::string html, const std::string& script) {
    html.insert(html.rfind("</body>"), "<script>" + script + "</script>");
    return testing::dom_of(html);
}

std::string attribute(const std::string& dom, const std::string& name) {
    const auto begin = dom.find(name + "=\"") + name.size() + 2;
    return dom.substr(begin, dom.find('"', begin) - begin);
}

Document table_of_times() {
    return {.blocks = {Table{.columns = {{"n", "name"}, {"t", "time"}},
                             .rows = {{"small", Number{.value = 9e-6, .unit = "s"}},
                                      {"none", Missing{"skipped"}},
                                      {"large", Number{.value = 1e-3, .unit = "s"}},
                                      {"middle", Number{.value = 1e-4, .unit = "s"}}}}}};
}

constexpr auto note_order =
    "document.body.dataset.order = [...document.querySelectorAll('tbody tr')]"
    ".map((row) => row.cells[0].textContent).join(' ');";

TEST_F(InTheBrowser, AClickSortsByUnroundedNumbersWithTheMissingLast) {
    const std::string click = "document.querySelectorAll('th button')[1].click();";
    const std::string html = render_html(table_of_times());
    EXPECT_EQ(attribute(dom_after(html, click + note_order), "data-order"),
              "large middle small none");
    EXPECT_EQ(attribute(dom_after(html, click + click + note_order), "data-order"),
              "small middle large none");
}

TEST_F(InTheBrowser, AThirdClickRestoresTheOrder) {
    const std::string click = "document.querySelectorAll('th button')[1].click();";
    const std::string html = render_html(table_of_times());
    EXPECT_EQ(attribute(dom_after(html, click + click + click + note_order), "data-order"),
              "small none large middle");
}

constexpr auto note_shown =
    "document.body.dataset.shown = [...document.querySelectorAll('.tree tbody tr')]"
    ".filter((row) => !row.hidden)"
    ".map((row) => row.cells[0].lastChild.textContent).join(' ');";

TEST_F(InTheBrowser, ATreeIsClosedAtFirstAndOpensRowByRow) {
    const std::string html = render_html(testing::sample_document());
    EXPECT_EQ(attribute(dom_after(html, note_shown), "data-shown"), "stem head");
    const std::string open = "document.querySelectorAll('.tree [aria-expanded]')[1].click();";
    EXPECT_EQ(attribute(dom_after(html, open + note_shown), "data-shown"), "stem head fc8");
    EXPECT_EQ(attribute(dom_after(html, open + open + note_shown), "data-shown"), "stem head");
}

TEST_F(InTheBrowser, ASortedTreeKeepsPartsBelowTheirWhole) {
    const std::string dom = dom_after(render_html(testing::sample_document()),
                                      "document.querySelectorAll('.tree th button')[1].click();"
                                      "document.querySelectorAll('.tree th button')[1].click();"
                                      "document.querySelector('.tree').closest('.panel')."
                                      "querySelector('.tools button').click();" +
                                          std::string(note_shown));
    EXPECT_EQ(attribute(dom, "data-shown"), "head fc8 stem relu1 &lt;i&gt;conv1&lt;/i&gt;");
}

TEST_F(InTheBrowser, ACommandIsCopiedUnchanged) {
    const std::string dom =
        dom_after(render_html(testing::sample_document()),
                  "document.execCommand = () => {"
                  "  document.body.dataset.copied = getSelection().toString(); };"
                  "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
                  "document.querySelector('.command button').click();");
    EXPECT_EQ(attribute(dom, "data-copied"), "strata run 'a&lt;b&gt;' --batch 64");
}

TEST_F(InTheBrowser, APartIsFoldedUntilItIsOpenedAndThenDrawn) {
    Document document = testing::sample_document();
    document.blocks.insert(document.blocks.begin(), Heading{"all of it", HeadingLevel::part});
    const std::string html = render_html(document);
    const std::string count =
        "document.body.dataset.drawn = document.querySelectorAll("
        "'canvas[width]').length + window.__selftest();";
    EXPECT_EQ(attribute(dom_after(html, count), "data-drawn"), "0ok");
    const std::string open =
        "const part = document.querySelector('.part'); part.open = true;"
        "part.dispatchEvent(new Event('toggle'));";
    EXPECT_EQ(attribute(dom_after(html, open + count), "data-drawn"), "2ok");
}

TEST_F(InTheBrowser, ManyNamesInOnePlaceDoNotOverlap) {
    RooflineChart chart{.roofs = {{.name = "peak", .compute = FlopRate{200e9}},
                                  {.name = "L2", .bandwidth = Bandwidth{21e9}},
                                  {.name = "DRAM", .bandwidth = Bandwidth{20e9}}}};
    for (int i = 0; i < 40; ++i) {
        chart.points.push_back({"a layer's long name " + std::to_string(i), "forward",
                                Intensity{50.0 + i}, FlopRate{90e9}, 0.02});
    }
    const std::string dom =
        dom_after(render_html({.blocks = {chart}}),
                  "document.body.dataset.named = Chart.getChart(document.querySelector('canvas'))"
                  ".names.length;");
    EXPECT_EQ(testing::selftest_of(dom), "ok");
    EXPECT_GE(std::stoi(attribute(dom, "data-named")), 3);  // roofs at least
}

TEST_F(InTheBrowser, AnAxisIsLabelledAtItsOwnTicks) {
    XyChart chart{.x = {.key = "batch", .title = "batch", .scale = AxisScale::logarithmic},
                  .y = {.key = "rate", .title = "rate"},
                  .series = {{"measured", Mark::joined, {}}}};
    for (const double batch : {1.0, 2.0, 4.0, 24.0}) {
        chart.x.ticks.push_back(batch);
        chart.series[0].points.push_back({"", batch, 3 * batch, 2 * batch, 9 * batch});
    }
    const std::string dom = dom_after(
        render_html({.blocks = {chart}}),
        "const drawn = Chart.getChart(document.querySelector('canvas'));"
        "document.body.dataset.ticks = drawn.scales.x.ticks.map((one) => one.label).join(' ');"
        "document.body.dataset.top = drawn.scales.y.max >= 9 * 24;");
    EXPECT_EQ(attribute(dom, "data-ticks"), "1 2 4 24");
    EXPECT_EQ(attribute(dom, "data-top"), "true");
}

TEST_F(InTheBrowser, TheFilterLeavesRowsThatHaveAllWords) {
    Document document = table_of_times();
    auto& rows = std::get<Table>(document.blocks[0]).rows;
    rows.insert(rows.end(), 8, {"conv forward", Number{.value = 1, .unit = "s"}});
    const std::string dom = dom_after(
        render_html(document),
        "const input = document.querySelector('input[type=search]');"
        "input.value = 'FORWARD conv'; input.dispatchEvent(new Event('input'));"
        "document.body.dataset.shown ="
        " [...document.querySelectorAll('tbody tr')].filter((row) => !row.hidden).length;");
    EXPECT_EQ(attribute(dom, "data-shown"), "8");
}

TEST_F(InTheBrowser, TheThemeChangesAndTheChartsRemain) {
    const std::string dom =
        dom_after(render_html(testing::sample_document()),
                  "document.querySelector('button.theme').click();"
                  "document.body.dataset.after = document.documentElement.dataset.theme + ' ' +"
                  " window.__selftest();");
    EXPECT_EQ(attribute(dom, "data-after"), "dark ok");
}

TEST_F(InTheBrowser, AMissingChartIsNoticed) {
    std::string html = render_html(testing::sample_document());
    const auto at = html.find("data-chart=\"1\"");
    ASSERT_NE(at, std::string::npos);
    html.replace(at, 10, "data-trash");
    EXPECT_EQ(testing::selftest_of(testing::dom_of(html)), "1 charts drawn of 2");
}

}  // namespace
}  // namespace strata
