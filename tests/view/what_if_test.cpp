// SPDX-License-Identifier: MIT
#include "view/what_if.h"

#include "report/data.h"
#include "report/render.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/fused.h"
#include "view/steps.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

FusionFindings findings_on_fusion(const strata::Run& run, const Graph& graph) {
    return {
        .run = run,
        .scope = FusionScope::conv_relu,
        .method = FusionMethod::traffic,
        .forecast = forecast_of_fusion(run, graph, FusionScope::conv_relu, FusionMethod::traffic)};
}

TEST(WhatIfView, SaysWhatFusionIsPredictedToSaveAndWhatItSaved) {
    const Graph graph = testing::zoo_graph("alexnet", 4);
    const strata::Run before = testing::scripted_run(graph);
    strata::Run after = before;
    after.settings.execution.engine.fusion = Fusion::convolution;
    for (Seconds& time : after.whole.end_to_end.values) {
        time = time * 0.97;
    }
    FusionFindings findings = findings_on_fusion(before, graph);
    findings.measured = compare(before, after);
    testing::expect_golden(
        "view/what-if-alexnet-4.txt",
        render_terminal(what_if_document(findings), {.width = 100, .unicode = true}));
}

TEST(WhatIfView, DataHasTheForecastAndTheLayers) {
    const Graph graph = testing::zoo_graph("alexnet", 4);
    const strata::Run run = testing::scripted_run(graph);
    testing::expect_golden("view/what-if-alexnet-4.csv",
                           render_csv(data_of(what_if_document(findings_on_fusion(run, graph)))));
}

TEST(WhatIfView, SaysWhyItWasNotMeasured) {
    const Graph graph = testing::zoo_graph("alexnet", 4);
    const strata::Run run = testing::scripted_run(graph);
    FusionFindings findings = findings_on_fusion(run, graph);
    findings.refusal = "no fusion here";
    const Document document = what_if_document(findings);
    EXPECT_NE(std::get<Lead>(document.blocks[0]).text.find("It was not measured: no fusion here."),
              std::string::npos);
}

TEST(FusedView, LayersOfAFusedStepHaveDerivedParts) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    for (StepResult& step : run.steps) {
        if (step.pass == Pass::forward && (step.layer == "relu1" || step.layer == "relu2")) {
            step.time = Included{"conv" + step.layer.substr(4) + " forward"};
        }
    }
    const Table table = fused_table(findings_of(run));
    ASSERT_EQ(table.rows.size(), 4u);
    EXPECT_EQ(std::get<std::string>(table.rows[1][1]), "relu1");
    EXPECT_EQ(std::get<Number>(table.rows[1][4]).provenance, Provenance::derived);
    testing::expect_golden("view/fused-alexnet-4.txt",
                           render_terminal({"", {table}}, {.width = 100, .unicode = true}));
}

}  // namespace
}  // namespace strata
