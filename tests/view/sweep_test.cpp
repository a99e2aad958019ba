// SPDX-License-Identifier: MIT
#include "view/sweep.h"

#include "report/data.h"
#include "report/json.h"
#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/json.h"
#include "view/recount.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace strata {
namespace {

// An iteration whose samples are within half a percent of its time.
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
    run.settings = {
        .backend = "onednn",
        .network = std::move(network),
        .batch = batch,
        .execution = {.numerics = {.mode = Mode::inference}, .scheduling = {.threads = 2}}};
    run.device = testing::scripted_device();
    run.provenance = {{"cpu.model", "A scripted machine"}, {"backend.version", "2.6.3"}};
    run.steps[0].flops = Flops{flops};
    run.steps[0].read = Bytes{1e6};
    run.predicted_memory = Bytes{2e8 + 1e6 * static_cast<double>(batch)};
    run.whole.end_to_end = about(seconds);
    return run;
}

// 100 GFLOP/s, 2 ms of framework overhead, and caches that are too small from batch 16 on.
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

Capacity forty() {
    return {.largest = {.batch = 40, .needs = Bytes{9.9e8}, .limit = BatchLimit::memory},
            .memory = Bytes{1e9}};
}

std::string sweep_text(const Document& document) {
    return render_terminal(document, {.width = 110, .unicode = true});
}

TEST(SweepView, ForBatchesShowsLatencyThroughputSaturationAndCapacity) {
    const auto runs = batches();
    testing::expect_golden("view/sweep-batches.txt",
                           sweep_text(sweep_document(sweep_of(runs).value(), forty())));
}

TEST(SweepView, ForAParameterShowsHardwareAndFramework) {
    std::vector<strata::Run> runs;
    for (const std::int64_t hidden : {128, 256, 512, 1024}) {
        const double flops = 16e3 * static_cast<double>(hidden * hidden);
        runs.push_back(
            run_of("lstm:hidden=" + std::to_string(hidden), 20, flops, 4e-4 + flops / 90e9));
    }
    testing::expect_golden("view/sweep-hidden.txt",
                           sweep_text(sweep_document(sweep_of(runs).value())));
}

// Time grows with the cube of the work.
std::vector<strata::Run> crooked() {
    std::vector<strata::Run> runs;
    for (const std::int64_t hidden : {1, 2, 3, 4}) {
        const auto size = static_cast<double>(hidden);
        runs.push_back(run_of("lstm:hidden=" + std::to_string(hidden), 20, 1e9 * size,
                              1e-3 * size * size * size));
    }
    return runs;
}

TEST(SweepView, IfNoLineFitsNeitherLineNorSlopeNorInterceptIsShown) {
    const auto runs = crooked();
    const Sweep sweep = sweep_of(runs).value();
    testing::expect_golden("view/sweep-crooked.txt", sweep_text(sweep_document(sweep)));
    const auto charts = sweep_charts(sweep);
    ASSERT_EQ(charts.size(), 1U);
    EXPECT_EQ(std::get<XyChart>(charts[0]).series.size(), 1U);
    const auto fit = sweep_json(sweep)["fit"];
    EXPECT_FALSE(fit["describes"].get<bool>());
    for (const auto* key : {"slope_s_per_flop", "flop_per_s", "framework_s", "half_rate_flops"}) {
        EXPECT_TRUE(fit[key].is_null()) << key;
    }
    EXPECT_EQ(fit["points"], 4);
}

TEST(SweepView, TheLineGoesFromTheInterceptToTheLargestWork) {
    const auto runs = batches();
    const auto charts = sweep_charts(sweep_of(runs).value());
    ASSERT_EQ(charts.size(), 2U);
    EXPECT_EQ(std::get<XyChart>(charts[0]).series[0].points.size(), 6U);
    const auto& line = std::get<XyChart>(charts[1]).series.at(1);
    EXPECT_EQ(line.mark, Mark::line);
    EXPECT_EQ(line.points.front().x, 0);
    EXPECT_NEAR(line.points.front().y, 2e-3, 1e-3);
    EXPECT_EQ(line.points.back().x, 1.5e9 * 32);
}

TEST(SweepView, CountsByTheRequestedConventionAndSaysSo) {
    std::vector<strata::Run> runs;
    for (const std::int64_t batch : {2, 4, 8}) {
        runs.push_back(testing::scripted_run(testing::zoo_graph("alexnet", batch)));
        runs.back().whole.end_to_end = about(1e-2 * static_cast<double>(batch));
    }
    const Sweep usual = sweep_of(runs).value();
    const Sweep macs = counted_by(find_convention("multiply-add-1"), usual);
    EXPECT_GT(macs.points[1].flops, 0.45 * usual.points[1].flops);
    EXPECT_LT(macs.points[1].flops, 0.55 * usual.points[1].flops);
    const std::string text = sweep_text(sweep_document(macs));
    EXPECT_NE(text.find("convention multiply-add-1: "), std::string::npos);
    EXPECT_EQ(text.find("f32 peak"), std::string::npos);
    EXPECT_EQ(sweep_json(macs)["convention"], "multiply-add-1");
}

std::string capacity_told(LargestBatch largest, MemorySource source, std::string refusal = {}) {
    const auto runs = batches();
    return sweep_sentences(sweep_of(runs).value(),
                           Capacity{largest, Bytes{1e9}, source, std::move(refusal)})
        .at(1);
}

TEST(SweepView, SaysWhatLimitsTheBatch) {
    EXPECT_EQ(capacity_told({40, Bytes{9.9e8}, BatchLimit::memory}, MemorySource::given),
              "Largest batch: 40 is the largest that fits in 1.00 GB given by --memory (modelled "
              "by liveness, without the library's scratch memory).");
    EXPECT_NE(capacity_told({40, Bytes{9.9e8}, BatchLimit::memory}, MemorySource::device)
                  .find("fits in 1.00 GB of free device memory "),
              std::string::npos);
    EXPECT_EQ(capacity_told({0, Bytes{2e9}, BatchLimit::memory}, MemorySource::free),
              "Largest batch: not even one example fits: it needs 2.00 GB, and there are 1.00 GB "
              "of free memory (modelled by liveness, without the library's scratch memory).");
    EXPECT_EQ(
        capacity_told({8, Bytes{1e6}, BatchLimit::network}, MemorySource::free, "it is fixed"),
        "Largest batch: 8, limited by the network and not by memory: it needs 1.00 MB out of 1.00 "
        "GB of free memory (modelled by liveness, without the library's scratch memory), but the "
        "next larger batch is rejected: it is fixed.");
    EXPECT_EQ(
        capacity_told({largest_batch_tried, Bytes{1e8}, BatchLimit::none}, MemorySource::free),
        "Largest batch: no limit found: even 16,777,216, the end of the search, needs only 100 MB "
        "out of 1.00 GB of free memory (modelled by liveness, without the library's scratch "
        "memory).");
}

TEST(SweepView, WarnsOfImpreciseTimes) {
    auto runs = batches();
    EXPECT_EQ(sweep_sentences(sweep_of(runs).value()).at(0).find("times are imprecise"),
              std::string::npos);
    auto& values = runs[1].whole.end_to_end.values;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] *= i % 2 == 0 ? 1 : 1.8;
    }
    EXPECT_EQ(sweep_sentences(sweep_of(runs).value())
                  .at(0)
                  .find("The times are imprecise: at batch 2 the interval is"),
              0U);
}

TEST(SweepView, ThroughputOfASingleSampleHasNoInterval) {
    std::vector<strata::Run> runs = batches();
    for (strata::Run& run : runs) {
        run.whole.end_to_end.values.resize(1);
    }
    const Document document = sweep_document(*sweep_of(runs), {});
    for (const Block& block : document.blocks) {
        const auto* chart = std::get_if<XyChart>(&block);
        const bool measured = chart && !chart->series.empty() && !chart->series[0].points.empty();
        EXPECT_FALSE(measured && chart->series[0].points[0].low);
    }
    const auto& table = std::get<Table>(*std::ranges::find_if(
        document.blocks, [](const Block& b) { return std::holds_alternative<Table>(b); }));
    std::size_t throughputs = 0;
    for (const Cell& cell : table.rows[0]) {
        const auto* number = std::get_if<Number>(&cell);
        throughputs += number && number->unit == "1/s";
        EXPECT_FALSE(number && number->unit == "1/s" && number->low);
    }
    EXPECT_EQ(throughputs, 1u);
}

TEST(SweepView, ACapacityWithoutALimitHasNoBatchInTheJson) {
    const auto runs = batches();
    const auto json =
        sweep_json(sweep_of(runs).value(),
                   Capacity{{largest_batch_tried, Bytes{1e8}, BatchLimit::none}, Bytes{1e9}});
    EXPECT_TRUE(json["capacity"]["batch"].is_null());
    EXPECT_EQ(json["capacity"]["limit"], "none");
}

TEST(SweepView, TheTitleNamesTheRangeInsteadOfTheValue) {
    const std::vector<strata::Run> hidden = {run_of("lstm:hidden=64,layers=2", 20, 1e9, 1),
                                             run_of("lstm:hidden=128,layers=2", 20, 2e9, 2)};
    EXPECT_EQ(sweep_title(sweep_of(hidden).value()),
              "lstm:hidden=64..128,layers=2, batch 20, inference, f32, onednn auto");
    std::vector<strata::Run> dims = {run_of("m.onnx", 1, 1e9, 1), run_of("m.onnx", 1, 2e9, 2)};
    set_further(dims[0].settings, "dim sequence", "8");
    set_further(dims[1].settings, "dim sequence", "16");
    EXPECT_EQ(sweep_title(sweep_of(dims).value()),
              "m.onnx, batch 1, inference, f32, onednn auto: sequence 8 to 16");
    const auto over_batch = batches();
    EXPECT_EQ(sweep_title(sweep_of(over_batch).value()),
              "alexnet, batch 1 to 64, inference, f32, onednn auto");
}

TEST(SweepView, TheJsonHoldsTheLineAndNullsWhereNothingRan) {
    const auto runs = batches();
    const auto json = sweep_json(sweep_of(runs).value(), forty());
    EXPECT_EQ(json["variable"], "batch");
    ASSERT_EQ(json["points"].size(), 7U);
    EXPECT_TRUE(json["points"][6]["median_s"].is_null());
    EXPECT_EQ(json["points"][6]["status"], "skipped");
    EXPECT_NE(json["points"][6]["reason"].get<std::string>().find("9.9 GB"), std::string::npos);
    EXPECT_NEAR(json["points"][0]["examples_per_s"].get<double>(), 1 / 0.017, 0.1);
    EXPECT_LE(json["points"][0]["examples_low_per_s"], json["points"][0]["examples_per_s"]);
    EXPECT_EQ(json["fit"]["points"], 6);
    EXPECT_TRUE(json["points"][5]["fitted_s"].is_number());
    EXPECT_NEAR(json["fit"]["flop_per_s"].get<double>(), 98e9, 2e9);
    EXPECT_TRUE(json["fit"]["describes"].get<bool>());
    EXPECT_EQ(json["capacity"]["origin"], "modelled");
    EXPECT_GE(json["saturation"]["latest_batch"], json["saturation"]["earliest_batch"]);
}

TEST(SweepView, IsOneTableOfPointsForScripts) {
    const auto runs = batches();
    testing::expect_golden(
        "view/sweep-batches.csv",
        render_csv(data_of(
            sweep_document(counted_by(conventions().front(), sweep_of(runs).value()), forty()))));
}

TEST(SweepView, TheColumnsAreKnownBeforeItIsMeasured) {
    const auto runs = batches();
    const Sweep sweep = sweep_of(runs).value();
    const auto keys = [](const std::vector<Column>& columns) {
        std::vector<std::string> all;
        std::ranges::transform(columns, std::back_inserter(all), &Column::key);
        return all;
    };
    EXPECT_EQ(keys(point_columns("batch", "inference")),
              keys(points_table(sweep, extrapolate(sweep)).columns));
}

TEST(SweepView, TheWholeJsonFollowsItsSchema) {
    const auto runs = batches();
    testing::expect_golden("view/sweep-batches.json",
                           json_text("run", "0.1",
                                     {{"runs", nlohmann::json::array()},
                                      {"sweeps", {sweep_json(sweep_of(runs).value(), forty())}},
                                      {"grids", nlohmann::json::array()},
                                      {"pairs", nlohmann::json::array()}}));
}

TEST(SweepView, TwoPointsHaveNoLine) {
    const std::vector<strata::Run> runs = {run_of("alexnet", 1, 1e9, 0.1),
                                           run_of("alexnet", 2, 2e9, 0.2)};
    const auto json = sweep_json(sweep_of(runs).value());
    EXPECT_TRUE(json["fit"].is_null());
    EXPECT_TRUE(json["capacity"].is_null());
    EXPECT_NE(sweep_text(sweep_document(sweep_of(runs).value())).find("too few"),
              std::string::npos);
}

}  // namespace
}  // namespace strata
