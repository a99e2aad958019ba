// SPDX-License-Identifier: MIT
#include "analyze/what_if.h"

#include "base/error.h"
#include "graph/builder.h"
#include "tests/support/networks.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// data -> conv -> norm -> (+ data) -> relu -> head.
Graph shortcut() {
    GraphBuilder build("shortcut");
    const TensorId data = build.input("data", {{2, 4, 64, 64}});
    TensorId x = build.add("conv", Convolution{.out_channels = 4, .kernel = {1, 1}}, {data});
    x = build.add("norm", BatchNormalization{}, {x});
    x = build.add("sum", Elementwise{}, {x, data});
    x = build.add("relu", Activation{}, {x});
    build.add("head", Convolution{.out_channels = 4, .kernel = {1, 1}}, {x});
    return build.finish();
}

strata::Run run_in(const Graph& graph, Mode mode) {
    strata::Run run = testing::scripted_run(graph);
    run.settings.execution.numerics.mode = mode;
    if (mode == Mode::inference) {
        std::erase_if(run.steps, [](const StepResult& step) { return step.pass != Pass::forward; });
    }
    return run;
}

Seconds median(const strata::Run& run, const std::string& layer, Pass pass) {
    for (const StepResult& step : run.steps) {
        if (step.layer == layer && step.pass == pass) {
            return estimate(std::get<Samples>(step.time).values).median;
        }
    }
    return {};
}

TEST(WhatIf, ByTrafficAReluIsSavedInTheForwardPassAndByRemovalInBoth) {
    const Graph graph = small_chain(64);
    const strata::Run run = run_in(graph, Mode::training);
    const auto by_traffic =
        forecast_of_fusion(run, graph, FusionScope::conv_relu, FusionMethod::traffic);
    ASSERT_EQ(by_traffic.layers.size(), 1u);
    EXPECT_EQ(by_traffic.layers[0].layer, "relu1");
    EXPECT_EQ(by_traffic.layers[0].into, "conv1");
    const Seconds forward = median(run, "relu1", Pass::forward);
    // Its arithmetic remains: an operation for each of 64 x 4 x 8 x 8 elements at 200 GFLOP/s.
    EXPECT_NEAR(by_traffic.gain->median / forward, 1 - 16384 / 200e9 / forward.value, 1e-3);
    const auto by_removal =
        forecast_of_fusion(run, graph, FusionScope::conv_relu, FusionMethod::removal);
    EXPECT_EQ(by_removal.steps_saved, 2u);
    EXPECT_NEAR(by_removal.gain->median.value,
                (forward + median(run, "relu1", Pass::backward_data)).value,
                1e-7);  // a median of sums is not quite the sum of medians
}

TEST(WhatIf, ASumStillReadsItsOtherOperand) {
    const Graph graph = shortcut();
    strata::Run run = run_in(graph, Mode::inference);
    run.device.reset();  // only the traffic
    const auto forecast = forecast_of_fusion(run, graph, FusionScope::all, FusionMethod::traffic);
    ASSERT_EQ(forecast.layers.size(), 3u);
    EXPECT_EQ(forecast.layers[1].layer, "sum");
    EXPECT_NEAR(forecast.layers[1].gain.median / forecast.layers[1].now.median, 2.0 / 3, 1e-12);
    EXPECT_DOUBLE_EQ(forecast.layers[0].gain.median / forecast.layers[0].now.median, 1);
}

TEST(WhatIf, TheExpectedRatioIsTheRemainingShare) {
    const Graph graph = shortcut();
    const auto forecast = forecast_of_fusion(run_in(graph, Mode::inference), graph,
                                             FusionScope::all, FusionMethod::traffic);
    ASSERT_TRUE(forecast.expected && forecast.now && forecast.gain);
    EXPECT_DOUBLE_EQ(forecast.expected->value, 1 - forecast.gain->median / forecast.now->median);
    EXPECT_LE(forecast.expected->low, forecast.expected->value);
    EXPECT_GE(forecast.expected->high, forecast.expected->value);
}

TEST(WhatIf, TheIterationsUncertaintyRemains) {
    const Graph graph = shortcut();
    strata::Run run = run_in(graph, Mode::inference);
    auto& times = run.whole.end_to_end.values;
    for (std::size_t i = 0; i < times.size(); ++i) {
        times[i] = times[i] * (i % 2 == 0 ? 0.9 : 1.1);
    }
    const auto forecast = forecast_of_fusion(run, graph, FusionScope::all, FusionMethod::traffic);
    ASSERT_TRUE(forecast.after);
    EXPECT_DOUBLE_EQ(forecast.after->median.value,
                     (forecast.now->median - forecast.gain->median).value);
    EXPECT_GE(forecast.after->high - forecast.after->low, forecast.now->high - forecast.now->low);
}

TEST(WhatIf, TheNarrowScopeHasOnlyRelusThatFollowDirectly) {
    const Graph graph = shortcut();
    EXPECT_EQ(chains_in(graph, Mode::inference, FusionScope::all).size(), 1u);
    EXPECT_TRUE(chains_in(graph, Mode::inference, FusionScope::conv_relu).empty());
    const strata::Run run = run_in(graph, Mode::inference);
    EXPECT_THROW(forecast_of_fusion(run, graph, FusionScope::conv_relu, FusionMethod::traffic),
                 Error);
}

TEST(WhatIf, FusedLayersAreNotFusedAgain) {
    const Graph graph = small_chain(4);
    strata::Run run = run_in(graph, Mode::inference);
    run.settings.execution.engine.fusion = Fusion::convolution;
    EXPECT_THROW(forecast_of_fusion(run, graph, FusionScope::all, FusionMethod::traffic), Error);
}

TEST(WhatIf, APredictionAgreesIfTheIntervalsOverlap) {
    EXPECT_TRUE(agree({0.9, 0.88, 0.92}, {0.93, 0.91, 0.95}));
    EXPECT_FALSE(agree({0.9, 0.88, 0.92}, {0.95, 0.93, 0.97}));
}

}  // namespace
}  // namespace strata
