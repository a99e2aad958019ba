// SPDX-License-Identifier: MIT
#include "view/compared_sides.h"

#include "report/table_text.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

std::vector<strata::Run> side_of(std::int64_t id, double milliseconds) {
    const std::vector<Seconds> times(8, Seconds{1e-3 * milliseconds});
    strata::Run run = run_of({scripted_step("conv", Pass::forward, times)});
    run.id = id;
    run.whole.end_to_end.values = times;
    return {run};
}

class SeveralSides : public ::testing::Test {
protected:
    const std::vector<strata::Run> ours_ = side_of(1, 2);
    const std::vector<strata::Run> other_ = side_of(2, 4);
    const std::vector<ComparedSide> sides_ = {
        {ours_, "ours", ""}, {{}, "absent", "install it"}, {other_, "other", ""}};
};

TEST_F(SeveralSides, AreShownTogetherAndThenEachIsComparedWithTheFirst) {
    const std::vector<Document> documents = comparison_documents(sides_, {});
    ASSERT_EQ(documents.size(), 2U);
    EXPECT_EQ(std::get<Lead>(documents[0].blocks[0]).text, "ours takes the least time of 2: 2 ms.");
    const Table& table = std::get<Table>(documents[0].blocks[1]);
    EXPECT_EQ(std::get<Missing>(table.rows.at(1).at(2)).reason, "install it");
    EXPECT_EQ(std::get<Number>(table.rows.at(2).at(3)).value, 2);
    const StackedBars& bars = std::get<StackedBars>(documents[0].blocks[2]);
    EXPECT_EQ(bars.labels, (std::vector<std::string>{"ours", "other"}));
    EXPECT_EQ(bars.series.front().values.at(1), 4e-3);
}

TEST_F(SeveralSides, TheRefusedOneIsSkippedInJson) {
    const auto json = comparisons_json(sides_, {});
    EXPECT_EQ(json["whole"]["verdict"], "slower");
    EXPECT_EQ(json["b"], nlohmann::json::array({2}));
    EXPECT_EQ(json["skipped"][0]["side"], "absent");
    EXPECT_EQ(json["skipped"][0]["reason"], "install it");
    EXPECT_TRUE(json["others"].empty());
}

TEST_F(SeveralSides, ASingleOneIsNotCompared) {
    const std::vector<ComparedSide> sides = {sides_[0], sides_[1]};
    const auto json = comparisons_json(sides, {});
    EXPECT_EQ(json["reason"], "install it");
    EXPECT_TRUE(json["whole"]["ratio"].is_null());
    EXPECT_TRUE(json["b"].empty());
}

TEST(NamesOfSides, NameWhatDistinguishesThem) {
    std::vector<Settings> all(3);
    all[0].backend = all[1].backend = "onednn";
    all[2].backend = "pytorch";
    set_further(all[1], "fuse", "on");
    EXPECT_EQ(names_of_sides(all),
              (std::vector<std::string>{"onednn, fuse default", "onednn, fuse on",
                                        "pytorch, fuse default"}));
    // The frameworks' own options, which others lack, say no more than their names.
    set_further(all[2], "peer_option", "device=cuda");
    EXPECT_EQ(names_of_sides(all),
              (std::vector<std::string>{"onednn, fuse default", "onednn, fuse on",
                                        "pytorch, fuse default"}));
    all.resize(1);
    EXPECT_EQ(names_of_sides(all), std::vector<std::string>{""});
}

}  // namespace
}  // namespace strata
