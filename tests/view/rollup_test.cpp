// SPDX-License-Identifier: MIT
#include "view/rollup.h"

#include "base/error.h"
#include "report/data.h"
#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/error_message.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

Document rolled(const strata::Run& run, std::vector<Grouping> by, const StepFilter& filter = {}) {
    return {"", {rollup_table(findings_of(run), by, filter)}};
}

TEST(RollupView, OperatorsHaveSharesRatiosAndGains) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 32));
    testing::expect_golden(
        "view/rollup-operators.txt",
        render_terminal(rolled(run, {Grouping::operation}), {.width = 130, .unicode = true}));
}

TEST(RollupView, BlocksOpenIntoLayers) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("resnet-18", 2));
    testing::expect_golden("view/rollup-blocks.txt",
                           render_terminal(rolled(run, {Grouping::block, Grouping::layer}),
                                           {.width = 130, .unicode = true}));
}

TEST(RollupView, MachinesGetAllAncestorsInEveryRow) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    testing::expect_golden("view/rollup-alexnet-4.csv",
                           render_csv(data_of(rolled(run, {Grouping::block, Grouping::pass}))));
}

TEST(RollupView, AFilterChangesTheGroupsAndNotTheSum) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const auto table_of = [&](const StepFilter& filter) {
        return std::get<Table>(rolled(run, {Grouping::layer}, filter).blocks[0]);
    };
    const Table all = table_of({}), some = table_of({.layers = "fc*", .passes = {}});
    EXPECT_EQ(some.rows.size(), 3u);
    EXPECT_EQ(std::get<Number>(some.totals[0][2]).value, std::get<Number>(all.totals[0][2]).value);
    EXPECT_NE(some.notes[0].find("steps are grouped"), std::string::npos);
}

TEST(RollupView, InferenceHasNoRatioToShow) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    std::erase_if(run.steps, [](const StepResult& step) { return step.pass != Pass::forward; });
    const std::string shown = render_terminal(rolled(run, {Grouping::operation}), {.width = 130});
    EXPECT_EQ(shown.find("backward"), std::string::npos);
    EXPECT_NE(shown.find("gain"), std::string::npos);
}

TEST(RollupView, ReplacesTheSteps) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const std::vector by = {Grouping::operation};
    const auto document = run_document(run, {}, conventions().front(), by);
    const auto table = std::ranges::find_if(
        document.blocks, [](const Block& b) { return std::holds_alternative<Table>(b); });
    EXPECT_EQ(std::get<Table>(*table).columns[0].key, "operator");
}

TEST(RollupView, GroupingsAreParsedAndChecked) {
    EXPECT_EQ(parse_groupings({"block", "operator"}),
              (std::vector{Grouping::block, Grouping::operation}));
    EXPECT_NE(error_of([] {
                  parse_groupings({"colour"});
              }).find("--by cannot be 'colour': choose from operator, block"),
              std::string::npos);
    EXPECT_THROW(parse_groupings({"pass", "pass"}), Error);
}

}  // namespace
}  // namespace strata
