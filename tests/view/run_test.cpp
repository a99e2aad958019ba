// SPDX-License-Identifier: MIT
#include "view/run.h"

#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/another_value.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/machine.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

std::string run_text(const strata::Run& run) {
    return render_terminal(run_document(run), {.width = 130, .unicode = true});
}

TEST(RunView, ShowsWhereTheTimeGoesAndWhy) {
    testing::expect_golden("view/run-alexnet-16.txt",
                           run_text(testing::scripted_run(testing::zoo_graph("alexnet", 16))));
}

Document first_page(const strata::Run& run) {
    return run_document(run, {}, conventions().front(), {}, Extent::first_page);
}

TEST(RunView, ItsFirstPageHasTheHeaviestRowsAndNamesBlocksOnce) {
    const TerminalStyle narrow{.width = 80, .unicode = true};
    testing::expect_golden(
        "view/run-alexnet-16-first.txt",
        render_terminal(first_page(testing::scripted_run(testing::zoo_graph("alexnet", 16))),
                        narrow));
    testing::expect_golden(
        "view/run-bert-base-1-first.txt",
        render_terminal(first_page(testing::scripted_run(testing::zoo_graph("bert-base", 1))),
                        narrow));
}

TEST(RunView, VerdictDoubtsFindingsGroupsAndStepsFollowEachOther) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.flags = {{DoubtKind::drift, "The last samples are 3 % slower."}};
    const std::string text = run_text(run);
    std::size_t last = 0;
    for (const char* part : {"Most could be saved in", "doubt (drift)", "Largest possible gains",
                             "Time by operator", "conv1  forward"}) {
        const std::size_t at = text.find(part);
        ASSERT_NE(at, std::string::npos) << part;
        EXPECT_GT(at, last) << part;
        last = at;
    }
}

TEST(RunView, TheTitleOfTheFindingsSaysThatDelayedStepsAreExcluded) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const std::string title = "Largest possible gains among the steps known without delays";
    EXPECT_EQ(run_text(run).find(title), std::string::npos);
    auto& samples = std::get<Samples>(run.steps.front().time);
    samples.disturbed.assign(samples.values.size(), true);
    EXPECT_NE(run_text(run).find(title), std::string::npos);
}

TEST(RunView, EightyColumnsKeepWhatBoundsAStep) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("resnet-18", 2));
    for (const Document& document : {run_document(run), first_page(run)}) {
        const std::string text = render_terminal(document, {.width = 80, .unicode = true});
        const std::size_t header = text.find("\nlayer ") + 1;
        ASSERT_NE(header, std::string::npos + 1);
        const std::string line = text.substr(header, text.find('\n', header) - header);
        EXPECT_NE(line.find("ceiling [%]"), std::string::npos) << line;
        EXPECT_NE(line.find("bound"), std::string::npos) << line;
    }
}

TEST(RunView, ExplainsItsHoles) {
    testing::expect_golden("view/run-alexnet-32-holes.txt",
                           run_text(testing::scripted_run_with_holes("alexnet", 32)));
}

TEST(RunView, IsMarkdownToo) {
    testing::expect_golden(
        "view/run-alexnet-16.md",
        render_markdown(run_document(testing::scripted_run(testing::zoo_graph("alexnet", 16)))));
}

TEST(RunView, SaysThatARunIsPartial) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(run_text(run).find("interrupted"), std::string::npos);
    run.state = RunState::partial;
    EXPECT_NE(run_text(run).find("interrupted"), std::string::npos);
}

TEST(RunView, StatesTheOriginOfTheNumbers) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_NE(run_text(run).find("measured on A scripted machine"), std::string::npos);
    run.origin = Origin::modelled;
    EXPECT_NE(run_text(run).find("modelled on A scripted machine"), std::string::npos);
    EXPECT_NE(run_text(run).find("≈ modelled, not measured"), std::string::npos);
}

TEST(RunView, DescribesTheStateOfItsDevice) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(run_text(run).find("clock"), std::string::npos);
    run.provenance.merge(
        std::map<std::string, std::string>{{"gpu.name", "NVIDIA H200"},
                                           {"gpu.core_clock.most", "1980 MHz"},
                                           {"gpu.power.limit", "700 W"},
                                           {"gpu.sampled.core_clock", "1695 to 1980 MHz"},
                                           {"gpu.sampled.power", "612 to 698 W"}});
    EXPECT_NE(run_text(run).find("measured on NVIDIA H200"), std::string::npos);
    EXPECT_NE(run_text(run).find("core clock 1695 to 1980 MHz of 1980 MHz, 612 to 698 W of 700 W"),
              std::string::npos);
}

TEST(RunView, SaysFirstThatARunIsIncompleteAndGivesNoEndToEndTime) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.steps[0].time = Skipped{"no kernel"};
    const Document document = run_document(run);
    EXPECT_TRUE(std::get<Paragraph>(document.blocks.front())
                    .text.starts_with("This run is incomplete: 1 of "));
    EXPECT_NE(run_text(run).find("the run is incomplete"), std::string::npos) << "in the budget";
}

TEST(RunView, AnIncompleteRunHasTimesAndRatesButNoSharesAndNoRanking) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_NE(run_text(run).find("Largest possible gains"), std::string::npos);
    run.steps[0].time = Skipped{"no kernel"};
    const std::string text = run_text(run);
    EXPECT_NE(text.find("GFLOP/s"), std::string::npos);
    EXPECT_NE(text.find("that ran"), std::string::npos);
    for (const auto* unknown : {"share [%]", "% of the step", "could save", "at its ceiling the"}) {
        EXPECT_EQ(text.find(unknown), std::string::npos) << unknown;
    }
}

TEST(RunView, EverySettingThatIsNotTheDefaultIsInTheTitle) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(run_document(run).title, "alexnet, batch 4, training, f32, onednn auto (direct)");
    set_further(run.settings, "first_layer_gradient", "computed");
    set_further(run.settings, "optimizer", "adam");
    set_further(run.settings, "what_comes_later", "on");
    set_further(run.settings, "network content",
                "0123456789abcdef");  // a hash is not a word for people
    EXPECT_EQ(
        run_document(run).title,
        "alexnet, batch 4, training, f32, onednn auto (direct), first layer gradient computed, "
        "optimizer adam, what comes later on");
}

TEST(RunView, EachOptionThatIsNotTheDefaultIsInTheHeading) {
    strata::Run plain;
    for (const Option& option : all_options()) {
        strata::Run run;
        run.settings = testing::with(option, testing::another_value(option));
        EXPECT_NE(settings_line(run) + machine_line(run),
                  settings_line(plain) + machine_line(plain))
            << option.name;
    }
    plain.settings.policy.max_time = Seconds{7};
    EXPECT_EQ(settings_line(plain).find("max time 7") != std::string::npos, true);
}

TEST(RunView, ShowsItsAnnotations) {
    strata::Run run;
    EXPECT_EQ(annotation_line(run), "");
    run.note = "after the upgrade";
    EXPECT_EQ(annotation_line(run), "note: after the upgrade");
    run.tags = {"baseline", "quiet"};
    EXPECT_EQ(annotation_line(run), "tagged baseline, quiet; note: after the upgrade");
}

TEST(RunView, ShowsTheResultsOfVerification) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(verification_line(run), "");
    run.verified = {.compared = 2, .without_reference = 1};
    run.steps[0].verified = {.error = 3e-6, .tolerance = 1e-4};
    run.steps[1].verified = {.error = 4e-6, .tolerance = 1e-2};
    EXPECT_EQ(verification_line(run),
              "2 steps verified against the reference, all agree; worst error 3.0e-06 (conv1 "
              "forward, tolerance 1.0e-04); 1 step had no reference");
    EXPECT_NE(run_text(run).find("2 steps verified"), std::string::npos);
    run.steps[1].verified->error = 1;
    EXPECT_NE(verification_line(run).find("1 of them wrong; worst error 1.0e+00"),
              std::string::npos);
}

TEST(RunView, SaysThatCachesWerePreparedAndGivesNoResidual) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_NE(run_text(run).find("residual"), std::string::npos);
    set_further(run.settings, "caches", "cold");
    const std::string shown = run_text(run);
    EXPECT_NE(shown.find("caches cold\n"), std::string::npos) << "in the title";
    EXPECT_NE(shown.find("= instrumented"), std::string::npos);
    EXPECT_NE(shown.find("prepared the caches"), std::string::npos);
    EXPECT_EQ(shown.find("residual"), std::string::npos);
    EXPECT_NE(shown.find("It includes the memory that makes the caches cold"), std::string::npos);
}

TEST(RunView, IfStepsLeaveNoGapTheBudgetShowsNone) {
    std::vector<StepResult> steps;
    for (int i = 0; i < 7; ++i) {
        steps.push_back(testing::scripted_step("a" + std::to_string(i), Pass::forward,
                                               {Seconds{0.1}, Seconds{0.1}}));
    }
    strata::Run run = testing::run_of(steps);
    run.whole.instrumented.values = {Seconds{0.7}, Seconds{0.7}};  // the sum is 0.7 less 1e-16
    const Document document = run_document(run);
    const auto is_budget = [](const Block& block) {
        const auto* table = std::get_if<Table>(&block);
        return table != nullptr && table->columns.front().key == "part";
    };
    const auto& budget = std::get<Table>(*std::ranges::find_if(document.blocks, is_budget));
    EXPECT_EQ(std::get<Missing>(budget.rows[1][1]).reason, "none");
}

TEST(RunView, NoiseIsNotCountedAsTheCostOfTimeStamps) {
    strata::Run run = testing::run_of(
        {testing::scripted_step("a", Pass::forward, {Seconds{0.69}, Seconds{0.7}, Seconds{0.71}})});
    run.whole.instrumented.values = {Seconds{0.7}, Seconds{0.71}, Seconds{0.72}};
    run.whole.end_to_end.values = {Seconds{0.6}, Seconds{1.9}, Seconds{2.1}};
    EXPECT_NE(run_text(run).find("none detected (below ± 1.40 s)"), std::string::npos)
        << run_text(run);
    run.whole.end_to_end.values = {Seconds{1.8}, Seconds{1.9}, Seconds{2.1}};
    EXPECT_EQ(run_text(run).find("− cost of the time stamps"), std::string::npos);
    EXPECT_NE(run_text(run).find("+ slower without time stamps"), std::string::npos);
}

TEST(RunView, ARunWithoutStepsIsStillADocument) {
    EXPECT_FALSE(run_text({}).empty());
}

}  // namespace
}  // namespace strata
