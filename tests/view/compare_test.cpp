// SPDX-License-Identifier: MIT
#include "view/compared_sides.h"

#include "report/json.h"
#include "report/table_text.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace strata {
namespace {

using testing::run_of;
using testing::scripted_step;

const std::vector<Seconds> quick(8, Seconds{1e-3});
const std::vector<Seconds> slow(8, Seconds{2e-3});

TEST(CompareView, SaysWhatDiffersAndWhatItIsWorth) {
    strata::Run before = run_of(
        {scripted_step("conv", Pass::forward, slow), scripted_step("pool", Pass::forward, quick)});
    strata::Run after = run_of(
        {scripted_step("conv", Pass::forward, quick), scripted_step("pool", Pass::forward, quick)});
    set_further(after.settings, "fuse", "on");
    const Document document = pair_document(before, after);
    EXPECT_NE(document.title.find("fuse default → on"), std::string::npos) << document.title;
    const Table table = for_people(std::get<Table>(document.blocks.front()));
    ASSERT_EQ(table.rows.size(), 2U);
    EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "conv");
    EXPECT_EQ(std::get<Number>(table.rows[0][4]).value, 0.5);
    EXPECT_EQ(std::get<std::string>(table.rows[0][5]), "faster");
    EXPECT_EQ(std::get<std::string>(table.rows[1][5]), "same");
}

// A compiler's fused block: people read its ends, data has every layer.
TEST(CompareView, OfManyLayersThatAreOneStepTheFirstAndTheLastAreNamed) {
    const std::vector<std::string> layers = {"conv", "bn", "add", "relu"};
    std::vector<StepResult> apart, fused = {scripted_step("conv", Pass::forward, slow)};
    for (const std::string& layer : layers) {
        apart.push_back(scripted_step(layer, Pass::forward, quick));
        if (layer != "conv") {
            fused.push_back(scripted_step(layer, Pass::forward, {}));
            fused.back().time = Included{"conv forward"};
        }
    }
    const Document document = pair_document(run_of(apart), run_of(fused));
    const Table table = std::get<Table>(document.blocks.front());
    EXPECT_EQ(std::get<std::string>(for_people(table).rows.at(0)[0]), "conv … relu (4 layers)");
    const auto layer = std::ranges::find_if(table.columns, [](const Column& column) {
        return column.key == "layer" && column.audience == Audience::data;
    });
    EXPECT_EQ(std::get<std::string>(
                  table.rows.at(0)[static_cast<std::size_t>(layer - table.columns.begin())]),
              "conv + bn + add + relu");
}

// As `strata tune` left them: two passes, one of them by another algorithm.
void tune(Settings& settings) {
    settings.execution.engine.algorithm = ConvolutionAlgorithm::fastest;
    set_further(settings, "choices",
                "a forward=winograd-4x4-3x3 (tuned)+a backward_data=direct (tuned)");
}

TEST(CompareView, OfATunedSideItIsSaidWhereItsAlgorithmsComeFrom) {
    strata::Run direct = run_of({scripted_step("conv", Pass::forward, slow)});
    direct.id = 1;
    strata::Run tuned = run_of({scripted_step("conv", Pass::forward, quick)});
    tuned.id = 2;
    tune(tuned.settings);
    const Document document = pair_document(direct, tuned);
    EXPECT_NE(document.title.find("choices default → tuned"), std::string::npos) << document.title;
    const auto notes = std::get<Table>(document.blocks.front()).notes;
    EXPECT_NE(std::ranges::find(
                  notes,
                  "Algorithms: run 1 direct; run 2 by a stored tuning (strata tune) that takes "
                  "another algorithm than the usual one in 1 of 2 passes; strata explain RUN names "
                  "each, --algorithm direct takes no tuning."),
              notes.end())
        << ::testing::PrintToString(notes);
    const std::string lead = comparison_lead(compare(direct, tuned), {{&direct, 1}, {&tuned, 1}});
    EXPECT_NE(lead.find("un 1 (direct)"), std::string::npos) << lead;
    EXPECT_NE(lead.find("un 2 (tuned)"), std::string::npos) << lead;
}

TEST(CompareView, TwoTunedSidesAreToldApartByTheirBackends) {
    std::array<Settings, 2> sides;
    sides[0].backend = "onednn";
    sides[1].backend = "pytorch";
    tune(sides[0]);
    EXPECT_EQ(names_of_sides(sides), (std::vector<std::string>{"onednn, tuned", "pytorch"}));
    sides[1] = sides[0];
    EXPECT_EQ(names_of_sides(sides), (std::vector<std::string>{"", ""}));
}

TEST(CompareView, TwoPredictionsHaveNoIntervalAndSayThatTheModelsErrorIsNotPartOfIt) {
    strata::Run before = run_of({scripted_step("conv", Pass::forward, {Seconds{1e-3}})});
    strata::Run after = run_of({scripted_step("conv", Pass::forward, {Seconds{2e-3}})});
    before.origin = Origin::modelled;
    after.origin = Origin::modelled;
    const Document document = pair_document(before, after);
    const Table table = for_people(std::get<Table>(document.blocks.front()));
    EXPECT_FALSE(std::get<Number>(table.rows[0][4]).low);
    EXPECT_EQ(std::get<std::string>(table.rows[0][5]), "slower");
    EXPECT_TRUE(std::ranges::any_of(table.notes, [](const std::string& note) {
        return note.find("how two predictions differ") != std::string::npos;
    }));
}

TEST(CompareView, WhatIsMissingInOneRunIsADashAndNotComparable) {
    const Document document = pair_document(run_of({scripted_step("conv", Pass::forward, quick)}),
                                            run_of({scripted_step("conv", Pass::forward, quick),
                                                    scripted_step("lrn", Pass::forward, quick)}));
    const auto row = for_people(std::get<Table>(document.blocks.front())).rows.at(1);
    EXPECT_TRUE(std::holds_alternative<Missing>(row[2]));
    EXPECT_TRUE(std::holds_alternative<Missing>(row[4]));
    EXPECT_EQ(std::get<std::string>(row[5]), "not comparable");
}

TEST(CompareView, SaysWhyAnIncompleteRunIsNotCompared) {
    StepResult skipped = scripted_step("lrn", Pass::forward, {});
    skipped.time = Skipped{"no kernel"};
    const Document document =
        pair_document(run_of({skipped}), run_of({scripted_step("lrn", Pass::forward, quick)}));
    ASSERT_EQ(document.blocks.size(), 1U);
    EXPECT_EQ(std::get<Paragraph>(document.blocks.front()).text,
              "Not compared: run 0 is incomplete: 1 of 1 step could not run here (lrn forward: no "
              "kernel).");
}

TEST(CompareView, AWholeComparison) {
    std::vector<strata::Run> before = {testing::scripted_run(testing::zoo_graph("alexnet", 4))};
    std::vector<strata::Run> after = before;
    after[0].id = 13;
    set_further(after[0].settings, "fuse", "on");
    for (StepResult& step : after[0].steps) {
        if (auto* samples = std::get_if<Samples>(&step.time); step.layer == "conv2" && samples) {
            std::ranges::for_each(samples->values, [](Seconds& time) { time *= 0.8; });
        }
    }
    const std::vector<ComparedSide> sides = {{before, "", ""}, {after, "", ""}};
    testing::expect_golden(
        "view/compare-alexnet-4.txt",
        render_terminal(comparison_document({before, after}, {}), {.width = 0, .unicode = true}));
    testing::expect_golden("view/compare-alexnet-4.json",
                           json_text("compare", "0.1", comparisons_json(sides, {})));
}

}  // namespace
}  // namespace strata
