// SPDX-License-Identifier: MIT
#include "run/steps.h"

#include "graph/builder.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Graph one_convolution() {
    GraphBuilder builder("one");
    const TensorId x = builder.input("x", {{2, 3, 8, 8}});
    builder.add("conv", Convolution{.out_channels = 4, .kernel = {3, 3}}, {x});
    return builder.finish();
}

TEST(Steps, AComputeStepHasItsLayersWork) {
    const std::vector<Step> steps = {{.layer = 0, .pass = Pass::forward}};
    const auto results = step_results(*plan_of(one_convolution(), {}), steps, {});
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].layer, "conv");
    EXPECT_EQ(results[0].operation, "convolution");
    EXPECT_EQ(results[0].flops.value, 2.0 * 2 * 4 * 6 * 6 * 3 * 3 * 3);
    EXPECT_TRUE(std::holds_alternative<Samples>(results[0].time));
}

TEST(Steps, AReorderHasNoArithmeticAndOnlyMovesBytes) {
    const std::vector<Step> steps = {
        {.layer = 0, .pass = Pass::forward, .kind = StepKind::reorder, .moved = Bytes{1000}}};
    const auto results = step_results(*plan_of(one_convolution(), {}), steps, {});
    EXPECT_EQ(results[0].flops.value, 0);
    EXPECT_EQ(results[0].read.value + results[0].written.value, 1000);
}

TEST(Steps, AnAliasHasNeitherWorkNorTrafficNorTime) {
    const std::vector<Step> steps = {
        {.layer = 0, .pass = Pass::forward, .implementation_kind = ImplementationKind::alias}};
    const auto results = step_results(*plan_of(one_convolution(), {}), steps, {});
    EXPECT_EQ(results[0].flops.value, 0);
    EXPECT_EQ(results[0].read.value + results[0].written.value, 0);
    EXPECT_TRUE(std::holds_alternative<NoOp>(results[0].time));
}

TEST(Steps, AnUpdateHasItsOptimizersWork) {
    const std::vector<Step> steps = {{.layer = 0, .pass = Pass::update}};
    const auto momentum = step_results(*plan_of(one_convolution(), {}), steps, {});
    const auto adam = step_results(*plan_of(one_convolution(), {.optimizer = Adam{}}), steps, {});
    constexpr double trained = 4 * 3 * 3 * 3 + 4;
    EXPECT_EQ(momentum[0].flops.value, 4 * trained);
    EXPECT_EQ(adam[0].flops.value, 12 * trained);
    EXPECT_EQ((adam[0].read + adam[0].written).value, 4 * 7 * trained);
}

TEST(Steps, ARefusedStepIsSkippedAndADisagreeingOneFailed) {
    const std::vector<Step> steps = {
        {.layer = 0, .pass = Pass::forward, .state = Refused{"too odd"}},
        {.layer = 0, .pass = Pass::backward_weights}};
    const auto results = step_results(*plan_of(one_convolution(), {}), steps,
                                      {{{0, Pass::forward}, {{0, 0}, ""}},
                                       {{0, Pass::backward_weights}, {{0.3, 0.1}, "differs"}}});
    EXPECT_EQ(std::get<Skipped>(results[0].time).reason, "too odd");
    EXPECT_EQ(std::get<Failed>(results[1].time).reason, "differs");
    EXPECT_FALSE(results[0].verified);
    EXPECT_FALSE(results[1].verified->agrees());
}

TEST(Steps, AStepKeepsItsDifferenceFromTheReference) {
    const std::vector<Step> steps = {{.layer = 0, .pass = Pass::forward, .kind = StepKind::reorder},
                                     {.layer = 0, .pass = Pass::forward}};
    const auto results = step_results(*plan_of(one_convolution(), {}), steps,
                                      {{{0, Pass::forward}, {{3e-6, 1e-4}, ""}}});
    EXPECT_FALSE(results[0].verified) << "a reorder computes nothing";
    EXPECT_EQ(results[1].verified->error, 3e-6);
    EXPECT_EQ(results[1].verified->tolerance, 1e-4);
    EXPECT_TRUE(std::holds_alternative<Samples>(results[1].time));
}

TEST(Steps, TwoPassesInOneStepReadSharedOperandsOnce) {
    GraphBuilder builder("normalized");
    const TensorId x = builder.input("x", {{2, 3, 8, 8}});
    builder.add("norm", BatchNormalization{}, {builder.add("relu", Activation{}, {x})});
    const Graph graph = builder.finish();
    const std::vector<Step> apart = {{.layer = 1, .pass = Pass::backward_weights},
                                     {.layer = 1, .pass = Pass::backward_data}};
    std::vector<Step> joined = apart;
    joined[0].state = IncludedIn{Task{1, Pass::backward_data}};
    const auto before = step_results(*plan_of(graph, {}), apart, {});
    const auto after = step_results(*plan_of(graph, {}), joined, {});
    EXPECT_EQ(std::get<Included>(after[0].time).step, "norm backward_data");
    EXPECT_EQ(after[0].flops, Flops{});
    EXPECT_EQ(after[1].flops, before[0].flops + before[1].flops);
    EXPECT_EQ(after[1].read, before[1].read);
    EXPECT_EQ(after[1].written, before[0].written + before[1].written);
}

TEST(Steps, AnIncludedStepHasItsTimeAndWorkInTheOther) {
    GraphBuilder builder("two");
    const TensorId x = builder.input("x", {{2, 3, 8, 8}});
    const Convolution op = {.out_channels = 4, .kernel = {3, 3}, .bias = false};
    builder.add("relu", Activation{}, {builder.add("conv", op, {x})});
    const Graph graph = builder.finish();
    const std::vector<Step> apart = {{.layer = 0}, {.layer = 1}};
    const std::vector<Step> fused = {{.layer = 0},
                                     {.layer = 1, .state = IncludedIn{Task{0, Pass::forward}}}};
    const auto before = step_results(*plan_of(graph, {}), apart, {});
    const auto after = step_results(*plan_of(graph, {}), fused, {});
    EXPECT_EQ(std::get<Included>(after[1].time).step, "conv forward");
    EXPECT_EQ(after[0].flops, before[0].flops + before[1].flops);
    EXPECT_EQ(after[0].read, before[0].read);
    EXPECT_EQ(after[0].written, before[0].written);
    EXPECT_EQ(after[1].written, Bytes{});
}

TEST(Steps, HalfWidthElementsMoveHalfTheActivations) {
    const std::vector<Step> steps = {{.layer = 0, .pass = Pass::forward}};
    const Graph graph = one_convolution();
    const auto wide = step_results(*plan_of(graph, {}), steps, {});
    const auto narrow = step_results(*plan_of(graph, {.dtype = DataType::bf16}), steps, {});
    EXPECT_EQ(narrow[0].written.value, wide[0].written.value / 2);
    EXPECT_EQ(narrow[0].flops.value, wide[0].flops.value);
}

// A whole network as one step: only the first operand, the parameters and the last result certainly
// go through memory, and byte counts are never negative.
TEST(Steps, ACompiledNetworksTrafficShrinksWithItsLayersAndStaysPositive) {
    GraphBuilder builder("shrinking");
    TensorId x = builder.input("x", {{2, 3, 16, 16}});
    std::vector<Step> steps;
    for (LayerId id = 0; id < 6; ++id) {
        const auto name = "conv" + std::to_string(id);
        x = builder.add(name, Convolution{.out_channels = id < 3 ? 64 : 1, .kernel = {3, 3}}, {x});
        steps.push_back({.layer = id});
        if (id > 0) {
            steps.back().state = IncludedIn{Task{0, Pass::forward}};
        }
    }
    const Graph graph = builder.finish();
    const auto results = step_results(*plan_of(graph, {}), steps, {});
    const auto bytes = [](std::int64_t elements) { return 4.0 * static_cast<double>(elements); };
    std::int64_t parameters = 0;
    for (const Tensor& tensor :
         {Tensor{{64, 3, 3, 3}}, Tensor{{64, 64, 3, 3}}, Tensor{{64, 64, 3, 3}},
          Tensor{{1, 64, 3, 3}}, Tensor{{1, 1, 3, 3}}, Tensor{{1, 1, 3, 3}}}) {
        parameters += tensor.elements() + tensor.dims[0];
    }
    EXPECT_EQ(results[0].read.value, bytes(2 * 3 * 16 * 16 + parameters));
    EXPECT_EQ(results[0].written.value, bytes(2 * 1 * 4 * 4));
    for (std::size_t i = 1; i < results.size(); ++i) {
        EXPECT_EQ(results[i].read.value + results[i].written.value, 0);
    }
}

}  // namespace
}  // namespace strata
