// SPDX-License-Identifier: MIT
#include "view/framework_study.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

// Three processes that take turns with those of the other sides.
std::vector<strata::Run> processes(std::int64_t place, double milliseconds) {
    std::vector<strata::Run> runs;
    for (std::int64_t round = 0; round < 3; ++round) {
        const std::vector<Seconds> times(8, Seconds{1e-3 * milliseconds});
        runs.push_back(run_of({scripted_step("fc", Pass::forward, times)}));
        runs.back().id = 10 * round + place;
        runs.back().whole.end_to_end.values = times;
    }
    return runs;
}

class FrameworkStudy : public ::testing::Test {
protected:
    const std::vector<strata::Run> usual_ = processes(1, 10);
    const std::vector<strata::Run> faster_ = processes(2, 8);
    const std::vector<strata::Run> slower_ = processes(3, 20);
    const std::vector<StudiedFramework> frameworks_ = {
        {"onednn",
         {{"", "", {usual_}}, {"threads", "1", {slower_}}, {"algorithm", "auto", {faster_}}}},
        {"pytorch", {{"", "", {usual_}}, {"layout", "nhwc", {{}, "", "no images"}}}},
        {"jax", {{"", "", {{}, "", "JAX is not there"}}}}};
    const Document document_ = framework_study_document("fc", 8, frameworks_, {});
};

TEST_F(FrameworkStudy, NamesTheFastestAndWhatHelpsEachFramework) {
    EXPECT_EQ(std::get<Lead>(document_.blocks.at(0)).text,
              "onednn with algorithm auto takes the least time: 8 ms.");
    EXPECT_EQ(
        std::get<Ranking>(document_.blocks.at(1)).items,
        (std::vector<std::string>{
            "onednn gains most by algorithm auto, which takes 0.80 of its default's time "
            "(0.80 to 0.80).",
            "No setting makes pytorch faster here.", "jax was not measured: JAX is not there."}));
}

TEST_F(FrameworkStudy, EachSettingIsComparedWithItsOwnFramework) {
    const Table& table = std::get<Table>(document_.blocks.at(2));
    ASSERT_EQ(table.rows.size(), 6U);
    EXPECT_EQ(std::get<std::string>(table.rows[0].at(1)), "default");
    EXPECT_EQ(std::get<Number>(table.rows[1].at(4)).value, 2);
    EXPECT_EQ(std::get<std::string>(table.rows[1].at(6)), "slower");
    EXPECT_EQ(std::get<std::string>(table.rows[2].at(6)), "faster");
    EXPECT_EQ(std::get<Missing>(table.rows[4].at(3)).reason, "no images");
    EXPECT_EQ(std::get<Missing>(table.rows[5].at(3)).reason, "JAX is not there");
}

TEST(FrameworkStudyOfNoise, SaysThatNoVerdictIsPossible) {
    const std::vector<strata::Run> usual = processes(1, 10);
    std::vector<strata::Run> noisy = processes(2, 10);
    noisy[0].whole.end_to_end.values.assign(8, Seconds{1e-3});
    const Document document = framework_study_document(
        "fc", 8, {{"onednn", {{"", "", {usual}}, {"threads", "1", {noisy}}}}}, {});
    EXPECT_EQ(std::get<Ranking>(document.blocks.at(1)).items.front(),
              "These samples cannot tell whether a setting makes onednn faster here: measure more "
              "--rounds on a quiet machine.");
}

}  // namespace
}  // namespace strata
