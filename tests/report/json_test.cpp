// SPDX-License-Identifier: MIT
#include "report/json.h"

#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

nlohmann::json parsed(const Document& document) {
    return nlohmann::json::parse(render_json(document));
}

TEST(Json, RendersEveryBlock) {
    testing::expect_golden("report/sample.json", render_json(testing::sample_document()));
}

TEST(Json, WhatIsMissingIsNull) {
    const auto json =
        parsed({.blocks = {Table{.columns = {{"a", ""}}, .rows = {{Missing{"why"}}}}}});
    EXPECT_TRUE(json["blocks"][0]["rows"][0]["a"].is_null());
}

TEST(Json, AnIntervalStandsBesideItsNumber) {
    const Table table{.columns = {{"t", ""}},
                      .rows = {{Number{.value = 2, .unit = "s", .low = 1.5, .high = 2.5}}}};
    const auto row = parsed({.blocks = {table}})["blocks"][0]["rows"][0];
    EXPECT_EQ(row["t"], 2);
    EXPECT_EQ(row["t_low"], 1.5);
    EXPECT_EQ(row["t_high"], 2.5);
}

TEST(Json, BrokenNamesStillGiveValidJson) {
    const auto json = parsed({.title = "\xFF\"\\\n"});
    EXPECT_EQ(json["title"], "\xEF\xBF\xBD\"\\\n");
}

}  // namespace
}  // namespace strata
