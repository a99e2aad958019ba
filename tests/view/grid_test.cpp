// SPDX-License-Identifier: MIT
#include "view/grid.h"

#include "networks/network.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace strata {
namespace {

strata::Run run_of(std::int64_t hidden, std::int64_t batch) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}})});
    const double work = 1e6 * static_cast<double>(hidden * batch);
    run.id = hidden + batch;
    run.created = "2026-11-21T13:15:00Z";
    run.settings = {.backend = "onednn",
                    .network = fmt::format("lstm:hidden={}", hidden),
                    .batch = batch,
                    .execution = {.scheduling = {.threads = 2}}};
    run.provenance = {{"cpu.model", "A scripted machine"}, {"backend.version", "2.6.3"}};
    run.steps[0].flops = Flops{work};
    run.predicted_memory = Bytes{2 * work};
    run.whole.end_to_end.values.assign(11, Seconds{work / 1e11});
    return run;
}

TEST(GridView, SeveralNumbersAreShownSideBySideWithoutALine) {
    std::vector<strata::Run> runs;
    for (const std::int64_t hidden : {64, 128}) {
        for (const std::int64_t batch : {1, 8}) {
            runs.push_back(run_of(hidden, batch));
        }
    }
    runs.back().whole = {};
    runs.back().steps[0].time = Skipped{"it needs 9.9 GB and this machine has 1.0 GB free"};
    testing::expect_golden("view/grid.txt",
                           render_terminal(grid_document(runs, grid_among(runs).value()),
                                           {.width = 110, .unicode = true}));
}

TEST(GridView, ANetworkIsCountedAtEachCombination) {
    WorkGrid grid{.variables = {"hidden", "batch"},
                  .values = {{64, 1}, {64, 8}, {128, 1}, {128, 8}},
                  .network = "fully_connected",
                  .points = {}};
    for (const auto& values : grid.values) {
        NetworkRequest request;
        request.network =
            fmt::format("fully_connected({}x{}) out_features=10", values[1], values[0]);
        grid.points.push_back(
            work_point_of(load_network(request), values[1], conventions().front(), {}));
    }
    testing::expect_golden("view/work-grid.txt",
                           render_terminal(work_grid_document(grid, conventions().front(), {}),
                                           {.width = 110, .unicode = true}));
}

}  // namespace
}  // namespace strata
