// SPDX-License-Identifier: MIT
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace strata {
namespace {

nlohmann::json shown(const strata::Run& run, const StepFilter& filter = {}) {
    return nlohmann::json::parse(run_json(run, filter));
}

TEST(RunJson, KeepsTheContractForScripts) {
    const auto json = shown(testing::scripted_run(testing::zoo_graph("alexnet", 4)));
    const auto& run = json["run"];
    EXPECT_EQ(run["id"], 12);
    EXPECT_EQ(run["origin"], "measured");
    EXPECT_EQ(run["backend"], "onednn");
    EXPECT_EQ(run["network"], "alexnet");
    EXPECT_EQ(run["batch"], 4);
    EXPECT_EQ(run["dtype"], "f32");
    EXPECT_EQ(run["threads"], 2);
    const auto& conv1 = json["layers"][0];
    EXPECT_EQ(conv1["name"], "conv1");
    EXPECT_EQ(conv1["operator"], "convolution");
    EXPECT_EQ(conv1["pass"], "forward");
    EXPECT_EQ(conv1["implementation"], "jit:avx512_core");
    EXPECT_EQ(conv1["status"], "measured");
    EXPECT_EQ(conv1["bound"], "compute");
    EXPECT_EQ(conv1["time"]["samples"], 20);
    EXPECT_LE(conv1["time"]["low_s"], conv1["time"]["median_s"]);
    EXPECT_GE(conv1["time"]["high_s"], conv1["time"]["median_s"]);
    EXPECT_TRUE(conv1["flops"].is_number_integer());
    EXPECT_TRUE(conv1["bytes"].is_number_integer());
}

TEST(RunJson, ClosesItsBudget) {
    const auto budget = shown(testing::scripted_run(testing::zoo_graph("alexnet", 4)))["budget"];
    const double whole = budget["end_to_end_s"], steps = budget["steps_s"];
    EXPECT_DOUBLE_EQ(budget["residual"].get<double>(), (whole - steps) / whole);
}

TEST(RunJson, WhatWasNotMeasuredIsNullAndSaysWhy) {
    const auto json = shown(testing::scripted_run_with_holes("alexnet", 4));
    const auto find = [&](std::string_view status) {
        return *std::ranges::find_if(json["layers"], [&](const auto& layer) {
            return layer["status"].template get<std::string>().starts_with(status);
        });
    };
    EXPECT_TRUE(find("skipped: lrn")["time"].is_null());
    EXPECT_TRUE(find("failed: differs")["time"].is_null());
    EXPECT_TRUE(find("skipped: lrn")["share"].is_null());
}

TEST(RunJson, StepsStandInTheOrderOfExecution) {
    const auto json = shown(testing::scripted_run(testing::zoo_graph("alexnet", 4)));
    EXPECT_EQ(json["layers"][1]["name"], "relu1");
    EXPECT_EQ(json["layers"].back()["name"], "conv1");
    EXPECT_EQ(json["layers"].back()["pass"], "update");
}

TEST(RunJson, TheFilterChoosesSteps) {
    const auto json = shown(testing::scripted_run(testing::zoo_graph("alexnet", 4)),
                            {.layers = "fc8", .passes = "forward"});
    ASSERT_EQ(json["layers"].size(), 1u);
    EXPECT_EQ(json["layers"][0]["name"], "fc8");
}

TEST(RunJson, ARunWithoutStepsHasNullsForItsBudget) {
    const auto json = shown({});
    EXPECT_TRUE(json["layers"].empty());
    EXPECT_TRUE(json["budget"]["end_to_end_s"].is_null());
    EXPECT_TRUE(json["budget"]["residual"].is_null());
}

TEST(RunJson, BrokenNamesStillGiveValidJson) {
    strata::Run run =
        testing::run_of({testing::scripted_step("\xFF\n\"", Pass::forward, {Seconds{1}})});
    run.settings.network = "\xC3";
    EXPECT_EQ(shown(run)["layers"][0]["name"], "\xEF\xBF\xBD\n\"");
}

TEST(RunJson, HoldsTheWholeRun) {
    testing::expect_golden("view/run-alexnet-4-fc8.json",
                           run_json(testing::scripted_run_with_holes("alexnet", 4),
                                    {.layers = "fc8,lrn2,conv2", .passes = {}}));
}

TEST(RunJson, AnIncompleteRunSaysSoAndHasNoEndToEndTime) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(shown(run)["run"]["state"], "complete");
    EXPECT_TRUE(shown(run)["run"]["incomplete"].is_null());
    run.steps[0].time = Skipped{"no kernel"};
    const auto json = shown(run);
    EXPECT_EQ(json["run"]["state"], "incomplete");
    EXPECT_TRUE(
        json["run"]["incomplete"].get<std::string>().ends_with("(conv1 forward: no kernel)"));
    EXPECT_TRUE(json["budget"]["end_to_end_s"].is_null());
}

TEST(RunJson, HoldsWhatVerificationFound) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_TRUE(shown(run)["verification"].is_null());
    run.verified = {.compared = 2, .without_reference = 1};
    run.steps[0].verified = {.error = 3e-6, .tolerance = 1e-4};
    run.steps[1].verified = {.error = 4e-6, .tolerance = 1e-2};
    const auto json = shown(run);
    EXPECT_EQ(json["verification"]["compared"], 2);
    EXPECT_EQ(json["verification"]["without_reference"], 1);
    EXPECT_EQ(json["verification"]["worst"]["layer"], "conv1");
    EXPECT_EQ(json["layers"][1]["tolerance"], 1e-2);
    EXPECT_TRUE(json["layers"][2]["error"].is_null());
}

}  // namespace
}  // namespace strata
