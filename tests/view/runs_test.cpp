// SPDX-License-Identifier: MIT
#include "view/runs.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Runs, AreSideBySide) {
    std::vector<strata::Run> runs = {testing::scripted_run_with_holes("alexnet", 32),
                                     testing::scripted_run(testing::zoo_graph("vgg-16", 4))};
    runs[1].id = 13;
    runs[1].state = RunState::partial;
    runs[1].whole = {};
    runs[1].settings.execution.numerics.single_precision = SinglePrecision::tf32;
    runs[1].settings.execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    testing::expect_golden("view/runs.txt", render_terminal({.blocks = {runs_table(runs)}},
                                                            {.width = 0, .unicode = true}));
}

TEST(Runs, AnEmptyDatabaseSaysHowToMakeOne) {
    const Document document = runs_document({.columns = {{"run", "run"}}});
    EXPECT_NE(render_terminal(document, {}).find("strata run alexnet"), std::string::npos);
}

}  // namespace
}  // namespace strata
