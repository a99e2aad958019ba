// SPDX-License-Identifier: MIT
#include "view/compared_sides.h"

#include "base/random.h"
#include "report/json.h"
#include "report/table_text.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string>

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
    // One process of each side does not show that they take the same time.
    EXPECT_EQ(std::get<std::string>(table.rows[1][5]), "cannot tell");
}

// The numbers of a sentence, "1.18 times as long as run 1 (1.16 to 1.20)".
std::array<double, 3> numbers_in(const std::string& sentence) {
    static const std::regex pattern(
        R"((?:the ratio is |(?:takes|is) )([0-9.]+)(?:.*?) \(([0-9.]+) to ([0-9.]+)\))");
    std::smatch found;
    return std::regex_search(sentence, found, pattern)
               ? std::array{std::stod(found[1]), std::stod(found[2]), std::stod(found[3])}
               : std::array{0.0, 0.0, 0.0};
}

TEST(CompareView, ASentenceSaysWhatTheIntervalInItSays) {
    const strata::Run run = run_of({});
    RandomStream random(31, 1);
    std::uint64_t next = 0;
    Comparison comparison;
    const Seconds time{1e-3};
    comparison.whole.before = comparison.whole.after = Estimate{time, time, time, time, 10};
    for (int i = 0; i < 2000; ++i) {
        const auto spread = [&] { return std::pow(10, -5 + 5 * random.uniform(next++)); };
        const double value = std::exp((random.uniform(next++) - 0.5) * (i % 2 == 0 ? 0.1 : 12));
        const Ratio ratio{
            .value = value, .low = value * std::exp(-spread()), .high = value * std::exp(spread())};
        const double margin = comparison.rules.margin;
        comparison.whole.ratio = ratio;
        comparison.whole.verdict = verdict_of(ratio, margin);
        const std::string sentence = comparison_lead(comparison, {{&run, 1}, {&run, 1}});
        const bool is_faster = comparison.whole.verdict == Verdict::faster;
        const auto [said, low, high] = numbers_in(sentence);
        if (comparison.whole.verdict == Verdict::same) {
            EXPECT_NE(sentence.find("take the same time within 2.0 %"), std::string::npos)
                << sentence;
            continue;
        }
        ASSERT_GT(said, 0) << sentence;
        EXPECT_EQ(verdict_of({said, low, high}, margin),
                  is_faster ? Verdict::slower : comparison.whole.verdict)
            << sentence << " of " << ratio.value << " " << ratio.low << " " << ratio.high;
        EXPECT_NEAR(said, is_faster ? 1 / value : value, 0.006 * std::max(said, 1.0));
    }
}

TEST(CompareView, ForProfilesTheSumOfTheStepsIsTheAnswer) {
    strata::Run before = run_of({scripted_step("conv", Pass::forward, {Seconds{1e-3}}),
                                 scripted_step("pool", Pass::forward, {Seconds{2e-3}})});
    strata::Run after = run_of({scripted_step("conv", Pass::forward, {Seconds{2e-3}}),
                                scripted_step("pool", Pass::forward, {Seconds{4e-3}})});
    before.id = 1;
    after.id = 2;
    before.origin = after.origin = Origin::imported;
    const ComparedRuns runs{{&before, 1}, {&after, 1}};
    const Comparison comparison = compare(before, after);
    const std::string lead = comparison_lead(comparison, runs);
    EXPECT_NE(lead.find("cannot be compared end to end: a profile has no iteration"),
              std::string::npos);
    EXPECT_NE(lead.find("By the sum of the 2 steps that both have, run 2 takes 2.00 times as long "
                        "as run 1 (1."),
              std::string::npos)
        << lead;
    const Table table = comparison_table(comparison, runs);
    EXPECT_TRUE(std::ranges::any_of(table.notes, [](const std::string& note) {
        return note.find(
                   "fewer than 6 samples; a standard deviation of 10 % is assumed, a prior") !=
               std::string::npos;
    })) << ::testing::PrintToString(table.notes);
    EXPECT_EQ(std::get<std::string>(for_people(table).totals.at(1).at(0)), "steps that both have");
    const Gate gate = gate_of(comparison, 0.03);
    EXPECT_EQ(gate_sentence(gate, comparison, runs).substr(0, 40),
              "By the sum of the 2 steps that both have");
}

// A compiler's fused block: people read its ends, data has every layer.
TEST(CompareView, AStepOfManyLayersIsNamedByTheFirstAndTheLast) {
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

// As left by `strata tune`: two passes, one of them with another algorithm.
void tune(Settings& settings) {
    settings.execution.engine.algorithm = ConvolutionAlgorithm::fastest;
    set_further(settings, "choices",
                "a forward=winograd-4x4-3x3 (tuned)+a backward_data=auto (tuned)");
}

TEST(CompareView, ATunedSideStatesTheOriginOfItsAlgorithms) {
    strata::Run untuned = run_of({scripted_step("conv", Pass::forward, slow)});
    untuned.id = 1;
    strata::Run tuned = run_of({scripted_step("conv", Pass::forward, quick)});
    tuned.id = 2;
    tune(tuned.settings);
    const Document document = pair_document(untuned, tuned);
    EXPECT_NE(document.title.find("choices default → tuned"), std::string::npos) << document.title;
    const auto notes = std::get<Table>(document.blocks.front()).notes;
    EXPECT_NE(std::ranges::find(notes,
                                "Algorithms: run 1 auto; run 2 by a stored tuning (strata tune) "
                                "that replaces the usual algorithm in 1 of 2 passes; strata "
                                "explain RUN names each; --algorithm auto ignores tunings."),
              notes.end())
        << ::testing::PrintToString(notes);
    const std::string lead = comparison_lead(compare(untuned, tuned), {{&untuned, 1}, {&tuned, 1}});
    EXPECT_NE(lead.find("un 1 (auto)"), std::string::npos) << lead;
    EXPECT_NE(lead.find("un 2 (tuned)"), std::string::npos) << lead;
}

TEST(CompareView, TwoTunedSidesAreDistinguishedByTheirBackends) {
    std::array<Settings, 2> sides;
    sides[0].backend = "onednn";
    sides[1].backend = "pytorch";
    tune(sides[0]);
    EXPECT_EQ(names_of_sides(sides), (std::vector<std::string>{"onednn, tuned", "pytorch"}));
    sides[1] = sides[0];
    EXPECT_EQ(names_of_sides(sides), (std::vector<std::string>{"", ""}));
}

TEST(CompareView, TwoPredictionsHaveNoIntervalAndSayThatTheModelsErrorIsNotIncluded) {
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

TEST(CompareView, AStepMissingInOneRunIsADashAndNotComparable) {
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
