// SPDX-License-Identifier: MIT
#include "view/steps.h"
#include "view/verdict.h"

#include "analyze/step_findings.h"
#include "report/data.h"
#include "report/render.h"
#include "report/select.h"
#include "report/table_text.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/budget_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace strata {
namespace {

// A step as displayed, by column key.
std::map<std::string, Cell> row_of(const Table& table, std::string_view layer,
                                   std::string_view pass) {
    const Table shown = for_people(table);
    for (const auto& row : shown.rows) {
        if (std::get<std::string>(row[0]) == layer && std::get<std::string>(row[1]) == pass) {
            std::map<std::string, Cell> cells;
            for (std::size_t i = 0; i < row.size(); ++i) {
                cells[shown.columns[i].key] = row[i];
            }
            return cells;
        }
    }
    return {};
}

TEST(Steps, AStepThatCouldNotRunHasAReasonAndNoNumber) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const Table table = steps_table(findings_of(run));
    const auto row = row_of(table, "lrn2", "backward_data");
    EXPECT_EQ(std::get<Missing>(row.at("median_s")).reason,
              "skipped: lrn: within-channel mode is not in onednn");
    EXPECT_TRUE(std::ranges::none_of(
        row, [](const auto& cell) { return std::holds_alternative<Number>(cell.second); }));
}

TEST(Steps, AConvolutionThatExecutesFewerOperationsSaysWhyItHasNoShareOfACeiling) {
    StepResult step = testing::scripted_step("conv", Pass::forward, {Seconds{1}, Seconds{1}});
    step.operation = "convolution";
    step.flops = Flops{400e9};
    step.read = Bytes{1e6};
    strata::Run run = testing::run_of({step});
    run.device = testing::scripted_device();
    run.settings.execution.scheduling.threads = run.device->threads;
    const auto row = row_of(steps_table(findings_of(run)), "conv", "forward");
    EXPECT_NE(std::get<Missing>(row.at("ceiling_share")).reason.find("fewer operations"),
              std::string::npos);
    EXPECT_EQ(std::get<std::string>(row.at("bound")), "unknown");
}

TEST(Steps, AStepThatOccursInOnlySomeIterationsSaysInHowMany) {
    strata::Run run = testing::run_of(
        {testing::scripted_step("a", Pass::forward, {Seconds{4}, Seconds{5}, Seconds{6}}),
         testing::scripted_step("b", Pass::forward, {Seconds{2}})});
    EXPECT_FALSE(row_of(steps_table(findings_of(run)), "a", "forward").contains("seen_in"));
    run.steps[1].seen_in = SeenIn{.iterations = 1, .of = 3};
    const Table table = steps_table(findings_of(run));
    const auto row = row_of(table, "b", "forward");
    EXPECT_EQ(std::get<Number>(row.at("seen_in")).value, 1);
    EXPECT_EQ(std::get<Number>(row.at("of_iterations")).value, 3);
    EXPECT_TRUE(std::holds_alternative<Missing>(row_of(table, "a", "forward").at("seen_in")));
    EXPECT_TRUE(std::ranges::any_of(table.notes, [](const std::string& note) {
        return note.find("b in 1 of 3 iterations") != std::string::npos;
    }));
}

TEST(Steps, ReordersAreNamedReorders) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const Table table = steps_table(findings_of(run));
    EXPECT_TRUE(
        std::holds_alternative<Number>(row_of(table, "conv2", "forward reorder").at("median_s")));
}

// The column that people see if a time is hardly longer than its own stamps.
std::ptrdiff_t columns_of_stamps(const Table& table) {
    return std::ranges::count(for_people(table).columns, "stamp_share", &Column::key);
}

TEST(Steps, AStepHardlyLongerThanItsTimeStampsIsMarked) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(columns_of_stamps(steps_table(findings_of(run))), 0);
    run.empty_step = Seconds{1e-9};
    EXPECT_EQ(columns_of_stamps(steps_table(findings_of(run))), 0) << "no step is that short";
    const RunFindings plain = findings_of(run);
    const Seconds shortest = std::ranges::min(plain.summary.steps, {}, [](const StepTime& step) {
                                 return step.time->median;
                             }).time->median;
    run.empty_step = 0.5 * shortest;
    const RunFindings findings = findings_of(run);
    const Table table = steps_table(findings);
    EXPECT_EQ(columns_of_stamps(table), 1);
    EXPECT_NE(table.notes.back().find("the cost of a step's time stamps"), std::string::npos);
    EXPECT_NE(budget_table(findings.summary.budget, Provenance::measured)
                  .notes.back()
                  .find("A step that does nothing would take"),
              std::string::npos);
    const auto marked = std::ranges::count_if(findings.summary.steps, &StepTime::is_near_empty);
    EXPECT_GT(marked, 0);
    EXPECT_LT(marked, std::ssize(run.steps));
}

TEST(Lead, AnIterationThatIsLongerThanItsStepsIsNotAtTheirCeilings) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const auto lead_at = [&](double ratio) {
        const double whole = ratio * sum_of_steps(run)->median.value;
        std::ranges::fill(run.whole.end_to_end.values, Seconds{whole});
        return lead_of(findings_of(run));
    };
    EXPECT_EQ(lead_at(1.05).find("end to end"), std::string::npos);
    EXPECT_NE(lead_at(9).find(" end to end; the steps take "), std::string::npos) << lead_at(9);
}

TEST(Lead, StepsWithoutACeilingAreNotAtTheirs) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_NE(lead_of(findings_of(run)).find(" of the machine's ceilings."), std::string::npos);
    const auto convolution = std::ranges::find(run.steps, "convolution", &StepResult::operation);
    ASSERT_NE(convolution, run.steps.end());
    convolution->algorithm = "fft, nondeterministic";  // nobody knows how many operations ran
    convolution->flops = Flops{1e15};
    const std::string lead = lead_of(findings_of(run));
    EXPECT_NE(lead.find(", of which "), std::string::npos) << lead;
    EXPECT_TRUE(lead.find(" have none.") != std::string::npos) << lead;
}

TEST(BudgetTable, ExplainsTheResidualOfAFrameworkBeyondFivePercent) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.provenance["backend.apart"] = "Each layer is compiled by itself.";
    const auto notes_at = [&](double ratio) {
        const double whole = sum_of_steps(run)->median.value / ratio;
        std::ranges::fill(run.whole.end_to_end.values, Seconds{whole});
        const Budget budget = budget_of(run);
        run.empty_step = 0.25 * (budget.steps->median - budget.end_to_end->median) /
                         static_cast<double>(budget.steps_timed);
        return budget_table(budget_of(run), Provenance::measured).notes;
    };
    EXPECT_EQ(notes_at(1.04).size(), 1U);
    const auto notes = notes_at(1.25);
    ASSERT_EQ(notes.size(), 2U);
    EXPECT_NE(notes[0].find("calling the framework for"), std::string::npos) << notes[0];
    EXPECT_EQ(notes[1],
              "The steps add up to 25 % more than an iteration without instruments. Calling the "
              "framework for each explains 25 % of that. Each layer is compiled by itself.");
    run.ran_on = DeviceKind::gpu;  // whose own times contain no calls
    const auto on_gpu = notes_at(1.25);
    EXPECT_NE(on_gpu[0].find("the cost of its time stamps"), std::string::npos) << on_gpu[0];
    EXPECT_EQ(on_gpu[1],
              "The steps add up to 25 % more than an iteration without instruments. "
              "Each layer is compiled by itself.");
    run.provenance.clear();
    EXPECT_EQ(budget_table(budget_of(run), Provenance::measured).notes.size(), 1U)
        << "of our own engine a residual is not explained by that";
}

TEST(Steps, AFindingDominatedByTimeStampsSaysSo) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.empty_step = Seconds{1};  // longer than any step
    const RunFindings findings = findings_of(run);
    const auto ranked = findings_on(run, findings.summary, findings.bounds);
    ASSERT_FALSE(ranked.empty());
    for (const Finding& finding : ranked) {
        EXPECT_NE(finding.sentence.find("of it is the time of an empty step"), std::string::npos);
    }
    run.device.reset();  // without ceilings, by weight
    const RunFindings unjudged = findings_of(run);
    EXPECT_NE(findings_on(run, unjudged.summary, unjudged.bounds)
                  .front()
                  .sentence.find("of it is the time of an empty step"),
              std::string::npos);
}

TEST(Steps, AFilterChangesTheRowsAndNotTheSums) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const RunFindings findings = findings_of(run);
    const Table all = steps_table(findings);
    const Table some = steps_table(findings, {.layers = "fc*", .passes = {}});
    EXPECT_LT(some.rows.size(), all.rows.size());
    EXPECT_EQ(std::get<Number>(for_people(some).totals.back()[2]).value,
              std::get<Number>(for_people(all).totals.back()[2]).value);
    EXPECT_NE(some.notes.front().find("steps are shown"), std::string::npos);
}

TEST(Steps, AModelsNumbersAreMarked) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.origin = Origin::modelled;
    const Table table = for_people(steps_table(findings_of(run)));
    for (const std::size_t column : {2u, 3u, 4u, 5u}) {
        EXPECT_EQ(std::get<Number>(table.rows[0][column]).provenance, Provenance::modelled);
    }
}

TEST(Steps, TheExportHoldsEverythingInTheOrderOfExecution) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    testing::expect_golden("view/steps-alexnet-4.csv",
                           render_csv(data_of(steps_document(findings_of(run)))));
}

TEST(Steps, StatusIsOneWordAndTheReasonIsSeparate) {
    const auto told = [](const Measurement& measurement) {
        return std::pair(status_of(measurement, Origin::measured), reason_of(measurement));
    };
    EXPECT_EQ(told(Samples{{Seconds{1}}}), std::pair(Status::measured, std::string()));
    EXPECT_EQ(told(Skipped{"no kernel"}), std::pair(Status::skipped, std::string("no kernel")));
    EXPECT_EQ(told(Included{"conv1 forward"}),
              std::pair(Status::included, std::string("conv1 forward")));
    EXPECT_EQ(told(Failed{"differs"}), std::pair(Status::failed, std::string("differs")));
    EXPECT_EQ(told(Samples{}), std::pair(Status::skipped, std::string("no sample was taken")));
}

TEST(Steps, AStepWithATimeHasTheOriginOfItsRun) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    for (const auto& [origin, status] :
         {std::pair(Origin::measured, "measured"), std::pair(Origin::modelled, "predicted"),
          std::pair(Origin::imported, "imported")}) {
        run.origin = origin;
        const std::string csv = render_csv(select(data_of(steps_document(findings_of(run))),
                                                  Selection{.columns = {"origin", "status"}}));
        const std::string row = std::string(name_of(origin)) + "," + status + "\n";
        EXPECT_EQ(csv.find(row), std::string("origin,status\n").size());
        EXPECT_EQ(csv.find(",measured\n") == csv.npos, origin != Origin::measured);
    }
}

// A run of one step and the whole; the last two of eight samples were delayed.
strata::Run delayed_run(std::vector<bool> disturbed) {
    StepResult step =
        testing::scripted_step("pow", Pass::forward, std::vector<Seconds>(8, Seconds{0.4e-3}));
    Samples& samples = std::get<Samples>(step.time);
    samples.values[6] = samples.values[7] = Seconds{16.4e-3};
    samples.disturbed = std::move(disturbed);
    strata::Run run = testing::run_of({step});
    run.whole.end_to_end = run.whole.instrumented = std::get<Samples>(run.steps[0].time);
    return run;
}

bool any_note(const Table& table, std::string_view text) {
    return std::ranges::any_of(
        table.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

TEST(Steps, SamplesDelayedByOtherProgramsAreCountedAndExcludedFromTheTime) {
    const strata::Run run = delayed_run({0, 0, 0, 0, 0, 0, 1, 1});
    const Table table = steps_table(findings_of(run));
    auto row = row_of(table, "pow", "forward");
    EXPECT_EQ(std::get<Number>(row.at("median_s")).value, 0.4e-3);
    EXPECT_EQ(std::get<Number>(row.at("disturbed_samples")).value, 2);
    EXPECT_TRUE(any_note(table, "delayed: samples during which a thread waited"));
    EXPECT_TRUE(any_note(budget_table(findings_of(run).summary.budget, Provenance::measured),
                         "2 of 8 end to end iterations and 2 of 8 iterations with time stamps, "
                         "which are left out"));
}

TEST(Steps, ATimeThatIncludesDelaysSaysSoAndDisagreeingTotalsAreExplainedInOneLine) {
    const strata::Run run = delayed_run({1, 1, 1, 1, 0, 1, 1, 1});
    const Table table = steps_table(findings_of(run));
    EXPECT_TRUE(any_note(table, "1 of the steps had too few others, so its time includes"));
    const Table budget = budget_table(findings_of(run).summary.budget, Provenance::measured);
    EXPECT_TRUE(any_note(budget, "so the parts do not add up"));
    EXPECT_EQ(std::get<Missing>(budget.totals[1][1]).reason,
              "other programs delayed the iterations");
}

TEST(Steps, OnAQuietMachineDelaysAreNotMentioned) {
    const strata::Run run = delayed_run({});
    EXPECT_FALSE(any_note(steps_table(findings_of(run)), "delayed"));
    EXPECT_FALSE(
        any_note(budget_table(findings_of(run).summary.budget, Provenance::measured), "delayed"));
}

}  // namespace
}  // namespace strata
