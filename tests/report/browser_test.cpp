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

TEST_F(InTheBrowser, AMissingChartIsNoticed) {
    std::string html = render_html(testing::sample_document());
    const auto at = html.find("data-chart=\"1\"");
    ASSERT_NE(at, std::string::npos);
    html.replace(at, 10, "data-trash");
    EXPECT_EQ(testing::selftest_of(testing::dom_of(html)), "1 charts drawn of 2");
}

}  // namespace
}  // namespace strata
