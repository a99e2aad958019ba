// SPDX-License-Identifier: MIT
#include "report/json.h"

#include "report/data.h"
#include "tests/report/sample_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

nlohmann::json parsed(Document document) {
    document.kind = "sample";
    return nlohmann::json::parse(render_json(data_of(document), "0.1"));
}

Table table_of(std::vector<Column> columns, std::vector<Cell> row) {
    return {.columns = std::move(columns), .rows = {std::move(row)}, .records = "rows"};
}

TEST(Json, IsRowsUnderTheirNameAndNothingOfThePage) {
    Document document = testing::sample_document();
    document.kind = "sample";
    testing::expect_golden("report/sample.json", render_json(data_of(document), "0.1"));
}

TEST(Json, InvisibleCharactersAreEscapedAndReadBack) {
    // An override of directions, a C1 control, a tag beyond the first plane, and letters.
    const std::string name = "a\u202eb\u0085c\U000e0041dé\U0001f600";
    for (const std::string& text : {render_json({.blocks = {table_of({{"a", ""}}, {name})}}, "0.1"),
                                    charts_json({.blocks = {StackedBars{.title = name}}})}) {
        EXPECT_NE(text.find("a\\u202eb\\u0085c\\udb40\\udc41dé\U0001f600"), std::string::npos)
            << text;
        EXPECT_NE(nlohmann::json::parse(text).dump().find(name), std::string::npos);
    }
}

TEST(Json, SaysWhichSchemaDescribesIt) {
    const auto json = parsed({.blocks = {table_of({{"a", ""}}, {Number{.value = 1}})}});
    EXPECT_EQ(json["schema"], "strata/sample/1");
    EXPECT_EQ(json["strata"], "0.1");
}

TEST(Json, AMissingValueIsNull) {
    const auto json = parsed({.blocks = {table_of({{"a", ""}}, {Missing{"why"}})}});
    EXPECT_TRUE(json["rows"][0]["a"].is_null());
}

TEST(Json, AnIntervalIsNextToItsNumber) {
    const auto row =
        parsed({.blocks = {table_of(
                    {{"median_s", "", Importance::normal, Audience::all, Bounds::interval}},
                    {Number{.value = 2, .unit = "s", .low = 1.5, .high = 2.5}})}})["rows"][0];
    EXPECT_EQ(row["median_s"], 2);
    EXPECT_EQ(row["low_s"], 1.5);
    EXPECT_EQ(row["high_s"], 2.5);
}

TEST(Json, DigitsAreWrittenAsGiven) {
    const auto json = parsed({.blocks = {table_of({{"a", ""}, {"b", ""}, {"c", ""}},
                                                  {Verbatim{"9007199254740993", 9007199254740992},
                                                   Verbatim{"2.0", 2}, Verbatim{"inf", 1}})}});
    EXPECT_EQ(json["rows"][0]["a"].get<std::int64_t>(), 9007199254740993);
    EXPECT_TRUE(json["rows"][0]["b"].is_number_float());
    EXPECT_EQ(json["rows"][0]["c"], "inf");
}

TEST(Json, BrokenNamesStillGiveValidJson) {
    const auto json = parsed({.blocks = {table_of({{"a", ""}}, {"\xFF\"\\\n"})}});
    EXPECT_EQ(json["rows"][0]["a"], "\xEF\xBF\xBD\"\\\n");
}

TEST(Json, TheScriptGetsOnlyThePagesCharts) {
    const auto json = nlohmann::json::parse(charts_json(testing::sample_document()));
    std::size_t charts = 0;
    for (const auto& block : json["blocks"]) {
        charts += block.is_object() ? 1U : 0U;
    }
    EXPECT_EQ(charts, 3U);
}

}  // namespace
}  // namespace strata
