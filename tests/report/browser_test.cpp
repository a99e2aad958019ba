// SPDX-License-Identifier: MIT
#include "tests/support/browser.h"
#include "report/html.h"
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

TEST_F(InTheBrowser, ChartsAndTablesStand) {
    EXPECT_EQ(testing::selftest_of(testing::dom_of(render_html(testing::sample_document()))), "ok");
}

TEST_F(InTheBrowser, AnEmptyDocumentStands) {
    EXPECT_EQ(testing::selftest_of(testing::dom_of(render_html({}))), "ok");
}

// What the page shows after a further script has had its way with it.
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

TEST_F(InTheBrowser, AClickSortsByWholeNumbersWithTheMissingLast) {
    const std::string click = "document.querySelectorAll('th button')[1].click();";
    const std::string html = render_html(table_of_times());
    EXPECT_EQ(attribute(dom_after(html, click + note_order), "data-order"),
              "large middle small none");
    EXPECT_EQ(attribute(dom_after(html, click + click + note_order), "data-order"),
              "small middle large none");
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

TEST_F(InTheBrowser, TheThemeChangesAndTheChartsStand) {
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
    EXPECT_EQ(testing::selftest_of(testing::dom_of(html)), "2 charts drawn of 3");
}

}  // namespace
}  // namespace strata
