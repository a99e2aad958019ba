// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace strata {
namespace {

// An iteration with samples half a percent about what it takes.
Samples about(double seconds) {
    Samples samples;
    for (int i = -10; i <= 10; ++i) {
        samples.values.push_back(Seconds{seconds * (1 + 0.0005 * i)});
    }
    return samples;
}

strata::Run run_of(std::string network, std::int64_t batch, double flops, double seconds) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}})});
    run.id = batch;
    run.created = "2026-11-21T13:15:00Z";
    run.settings = {.backend = "onednn",
                    .network = std::move(network),
                    .batch = batch,
                    .mode = "inference",
                    .dtype = "f32",
                    .threads = 2,
                    .algorithm = "direct",
                    .policy = {},
                    .further = {}};
    run.device = to_toml(testing::scripted_device());
    run.provenance = {{"cpu.model", "A scripted machine"}, {"backend.version", "2.6.3"}};
    run.steps[0].flops = Flops{flops};
    run.steps[0].read = Bytes{1e6};
    run.predicted_memory = Bytes{2e8 + 1e6 * static_cast<double>(batch)};
    run.whole.end_to_end = about(seconds);
    return run;
}

// 100 GFLOP/s, 2 ms of framework, and from batch 16 on caches that no longer hold everything.
std::vector<strata::Run> batches() {
    std::vector<strata::Run> runs;
    for (std::int64_t batch = 1; batch <= 64; batch *= 2) {
        const double flops = 1.5e9 * static_cast<double>(batch);
        const double slower = batch >= 16 ? 1.02 : 1;
        runs.push_back(run_of("alexnet", batch, flops, slower * (2e-3 + flops / 100e9)));
    }
    strata::Run& last = runs.back();
    last.whole = {};
    last.steps[0].time =
        Skipped{"alexnet at batch 64 needs 9.9 GB and this machine has 1.0 GB free"};
    return runs;
}

std::string terminal(const Document& document) {
    return render_terminal(document, {.width = 110, .unicode = true});
}

TEST(SweepView, OfBatchesTellsLatencyThroughputSaturationAndCapacity) {
    const auto runs = batches();
    testing::expect_golden("view/sweep-batches.txt",
                           terminal(sweep_document(sweep_of(runs).value(),
                                                   Capacity{.batch = 40, .memory = Bytes{1e9}})));
}

TEST(SweepView, OfAParameterTellsHardwareAndFramework) {
    std::vector<strata::Run> runs;
    for (const std::int64_t hidden : {128, 256, 512, 1024}) {
        const double flops = 16e3 * static_cast<double>(hidden * hidden);
        runs.push_back(
            run_of("lstm:hidden=" + std::to_string(hidden), 20, flops, 4e-4 + flops / 90e9));
    }
    testing::expect_golden("view/sweep-hidden.txt",
                           terminal(sweep_document(sweep_of(runs).value())));
}

TEST(SweepView, ALineThatDoesNotFitIsNotDrawn) {
    std::vector<strata::Run> runs;
    for (const std::int64_t hidden : {1, 2, 3, 4}) {
        const auto size = static_cast<double>(hidden);
        runs.push_back(run_of("lstm:hidden=" + std::to_string(hidden), 20, 1e9 * size,
                              1e-3 * size * size * size));
    }
    const Document document = sweep_document(sweep_of(runs).value());
    EXPECT_NE(terminal(document).find("A line does not describe"), std::string::npos);
    for (const Block& block : document.blocks) {
        EXPECT_FALSE(std::holds_alternative<StackedBars>(block));
    }
}

TEST(SweepView, TheJsonHoldsTheLineAndNullsWhereNothingRan) {
    const auto runs = batches();
    const auto json = nlohmann::json::parse(
        sweep_json(sweep_of(runs).value(), Capacity{.batch = 40, .memory = Bytes{1e9}}));
    EXPECT_EQ(json["variable"], "batch");
    ASSERT_EQ(json["points"].size(), 7U);
    EXPECT_TRUE(json["points"][6]["time"].is_null());
    EXPECT_NE(json["points"][6]["status"].get<std::string>().find("9.9 GB"), std::string::npos);
    EXPECT_NEAR(json["points"][0]["throughput"]["median"].get<double>(), 1 / 0.017, 0.1);
    EXPECT_EQ(json["fit"]["points"], 6);
    EXPECT_EQ(json["fit"]["residual_s"].size(), 6U);
    EXPECT_NEAR(json["fit"]["flop_per_s"].get<double>(), 98e9, 2e9);
    EXPECT_TRUE(json["fit"]["describes"].get<bool>());
    EXPECT_EQ(json["capacity"]["provenance"], "modelled");
    EXPECT_GE(json["saturation"]["latest"], json["saturation"]["earliest"]);
}

TEST(SweepView, TwoPointsHaveNoLine) {
    const std::vector<strata::Run> runs = {run_of("alexnet", 1, 1e9, 0.1),
                                           run_of("alexnet", 2, 2e9, 0.2)};
    const auto json = nlohmann::json::parse(sweep_json(sweep_of(runs).value()));
    EXPECT_TRUE(json["fit"].is_null());
    EXPECT_TRUE(json["capacity"].is_null());
    EXPECT_NE(terminal(sweep_document(sweep_of(runs).value())).find("too few"), std::string::npos);
}

}  // namespace
}  // namespace strata
