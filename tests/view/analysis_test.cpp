// SPDX-License-Identifier: MIT
#include "view/analysis.h"

#include "report/data.h"
#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/observation.h"
#include "view/distribution.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata {
namespace {

// Runs that follow a rule: two platforms, one of which starts slowly and then is fast.
Observations ruled_runs() {
    Observations all;
    all.devices.push_back({.name = "fast", .model = "A fast one"});
    all.devices[0].compute = {{"f32", {FlopRate{100e12}, "sheet"}}};
    all.devices[0].memory = {{"DRAM", {}, {Bandwidth{1e12}, "sheet"}}};
    for (const int nodes : {64, 512, 4096}) {
        for (const int batch : {16, 128, 1024}) {
            const double work = 6e1 * nodes * nodes * batch;
            all.runs.push_back(
                testing::observed("modelled:fast", 4, nodes, batch, 1e-3 + work / 80e12, work));
            all.runs.back().traffic = Bytes{4.0 * nodes * (nodes + 8.0 * batch)};
            all.runs.back().origin = Origin::modelled;
            all.runs.back().device = 0;
            all.runs.back().run = static_cast<std::int64_t>(all.runs.size());
            all.runs.push_back(
                testing::observed("onednn", 4, nodes, batch, 1e-5 + work / 1e12, work));
            all.runs.back().threads = 2;
            all.runs.back().run = static_cast<std::int64_t>(all.runs.size());
        }
    }
    return all;
}

std::string shown(const Document& document) {
    return render_terminal(document, {.width = 110, .unicode = true});
}

const AnalysedRuns of{.stored = 20, .conditions = {"family=fc"}};

TEST(AnalysisView, ARegressionIsATableOfWeightsByBackend) {
    const Observations all = ruled_runs();
    std::vector<std::pair<std::string, Regression>> found;
    for (const BackendRuns& group : by_backend(all)) {
        found.emplace_back(group.backend,
                           regress(regression_data(all, group.runs, ObservedMetric::rate,
                                                   varied_parameters(group.runs)),
                                   {.scale = FeatureScale::log2}));
    }
    testing::expect_golden(
        "view/analysis-regression.txt",
        shown(regression_document("rate", found, {.scale = FeatureScale::log2}, of)));
}

TEST(AnalysisView, AMapIsATableAndLines) {
    const Observations all = ruled_runs();
    const auto groups = by_backend(all);
    const std::pair<std::string, HeatMap> map{
        groups[0].backend,
        heat_map(all, groups[0].runs, ObservedMetric::utilisation, "batch", "nodes")};
    const Document document = heat_map_document(ObservedMetric::utilisation, {&map, 1}, of);
    testing::expect_golden("view/analysis-heat-map.txt", shown(document));
    testing::expect_golden("view/analysis-heat-map.csv", render_csv(data_of(document)));
    EXPECT_NE(render_html(document).find("--shade:100.0%"), std::string::npos);
}

TEST(AnalysisView, PercentilesAreATableAndBoxes) {
    const Observations all = ruled_runs();
    const auto groups = by_backend(all);
    const std::pair<std::string, std::vector<Box>> boxes{
        groups[0].backend, boxes_of(all, groups[0].runs, ObservedMetric::throughput, "nodes")};
    testing::expect_golden(
        "view/analysis-boxes.txt",
        shown(boxes_document(ObservedMetric::throughput, "nodes", {&boxes, 1}, of)));
}

TEST(AnalysisView, NetworksStandUnderTheRoofsOfTheirDevice) {
    Observations all = ruled_runs();
    const std::vector<RunCondition> modelled = {parse_condition("origin=modelled")};
    all = selected(std::move(all), modelled);
    testing::expect_golden("view/analysis-roofline.txt",
                           shown(sweep_roofline_document(all, by_backend(all), of)));
}

TEST(AnalysisView, ASpeedupSaysWhoWinsAndWhatDecides) {
    const Observations all = ruled_runs();
    const auto groups = by_backend(all);
    SpeedupFindings found{.backend = groups[0].backend,
                          .baseline = groups[1].backend,
                          .pairs = pairs_of(groups[0].runs, groups[1].runs),
                          .parameters = {"nodes", "batch"},
                          .colour = "nodes"};
    found.regression = regress(regression_data(found.pairs, found.parameters), {});
    testing::expect_golden("view/analysis-speedup.txt", shown(speedup_document(found, of)));
}

TEST(AnalysisView, ScalingCorrelationAndCostAreTables) {
    Observations all = ruled_runs();
    const auto groups = by_backend(all);
    const std::pair<std::string, WorkCorrelation> correlation{groups[1].backend,
                                                              *work_correlation(groups[1].runs)};
    std::vector<Observation> threads;
    for (const int count : {1, 2, 4}) {
        threads.push_back(testing::observed("onednn", 4, 64, 16, 0.1 + 0.3 / count));
        threads.back().threads = count;
    }
    std::vector<const Observation*> pointers;
    for (const Observation& run : threads) {
        pointers.push_back(&run);
    }
    const auto price = [](const Observation& run) {
        return run.backend == "onednn"
                   ? PlatformCost{.price = DollarsPerHour{0.1}}
                   : PlatformCost{.price = DollarsPerHour{2.5}, .power = Watts{300}};
    };
    std::vector<const Observation*> two = {groups[0].runs[0], groups[1].runs[0], groups[0].runs[8],
                                           groups[1].runs[8]};
    testing::expect_golden("view/analysis-tables.txt",
                           shown(correlation_document({&correlation, 1}, of)) +
                               shown(batches_document(batch_sweeps(groups[0].runs), of)) +
                               shown(scaling_document(thread_sweeps(pointers), of)) +
                               shown(cost_document(costs_of(two, price), of)));
}

}  // namespace
}  // namespace strata
