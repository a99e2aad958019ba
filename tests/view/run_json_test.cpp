// SPDX-License-Identifier: MIT
#include "report/json.h"
#include "tests/support/golden.h"
#include "tests/support/scripted_run.h"
#include "view/json.h"

#include "view/compare.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace strata {
namespace {

nlohmann::json json_of_run(const strata::Run& run, const StepFilter& filter = {}) {
    return nlohmann::json::parse(
        run_json(run, filter).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

TEST(RunJson, KeepsTheContractForScripts) {
    const auto json = json_of_run(testing::scripted_run(testing::zoo_graph("alexnet", 4)));
    const auto& run = json;
    EXPECT_EQ(run["run"], 12);
    EXPECT_EQ(run["origin"], "measured");
    EXPECT_EQ(run["backend"], "onednn");
    EXPECT_EQ(run["network"], "alexnet");
    EXPECT_EQ(run["batch"], 4);
    EXPECT_EQ(run["dtype"], "f32");
    EXPECT_EQ(run["threads"], 2);
    const auto& conv1 = json["steps"][0];
    EXPECT_EQ(conv1["layer"], "conv1");
    EXPECT_EQ(conv1["operator"], "convolution");
    EXPECT_EQ(conv1["pass"], "forward");
    EXPECT_EQ(conv1["implementation"], "jit:avx512_core");
    EXPECT_EQ(conv1["status"], "measured");
    EXPECT_EQ(conv1["bound"], "compute");
    EXPECT_EQ(conv1["samples"], 20);
    EXPECT_LE(conv1["low_s"], conv1["median_s"]);
    EXPECT_GE(conv1["high_s"], conv1["median_s"]);
    EXPECT_TRUE(conv1["flops"].is_number_integer());
    EXPECT_TRUE(conv1["bytes_read"].is_number_integer());
    EXPECT_LE(conv1["share"], 1);
}

TEST(RunJson, ClosesItsBudget) {
    const auto budget =
        json_of_run(testing::scripted_run(testing::zoo_graph("alexnet", 4)))["budget"];
    const double whole = budget["end_to_end_s"], steps = budget["steps_s"];
    EXPECT_DOUBLE_EQ(budget["residual"].get<double>(), (whole - steps) / whole);
}

TEST(RunJson, WhatWasNotMeasuredIsNullAndSaysWhy) {
    const auto json = json_of_run(testing::scripted_run_with_holes("alexnet", 4));
    const auto find = [&](std::string_view status) {
        return *std::ranges::find_if(json["steps"],
                                     [&](const auto& step) { return step["status"] == status; });
    };
    const auto skipped = find("skipped");
    EXPECT_TRUE(skipped["median_s"].is_null());
    EXPECT_TRUE(skipped["share"].is_null());
    EXPECT_EQ(skipped["reason"], "lrn: within-channel mode is not in onednn");
    EXPECT_TRUE(find("failed")["median_s"].is_null());
    EXPECT_EQ(find("failed")["reason"].get<std::string>().find("differs"), 0U);
}

TEST(RunJson, StepsAreInTheOrderOfExecution) {
    const auto json = json_of_run(testing::scripted_run(testing::zoo_graph("alexnet", 4)));
    EXPECT_EQ(json["steps"][1]["layer"], "relu1");
    EXPECT_EQ(json["steps"].back()["layer"], "conv1");
    EXPECT_EQ(json["steps"].back()["pass"], "update");
}

TEST(RunJson, HasAnnotationsAndTheNamesOfLayersInTheFile) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    run.steps[0].alias = "node_Conv_7";
    EXPECT_TRUE(json_of_run(run)["tags"].is_null());
    run.tags = {"baseline", "quiet"};
    run.note = "after the upgrade";
    const auto json = json_of_run(run);
    EXPECT_EQ(json["tags"], "baseline, quiet");
    EXPECT_EQ(json["note"], "after the upgrade");
    EXPECT_EQ(json["steps"][0]["alias"], "node_Conv_7");
    EXPECT_TRUE(json["steps"][1]["alias"].is_null());
}

TEST(RunJson, TheFilterChoosesSteps) {
    const auto json = json_of_run(testing::scripted_run(testing::zoo_graph("alexnet", 4)),
                                  {.layers = "fc8", .passes = "forward"});
    ASSERT_EQ(json["steps"].size(), 1u);
    EXPECT_EQ(json["steps"][0]["layer"], "fc8");
}

TEST(RunJson, ARunWithoutStepsHasNullsForItsBudget) {
    const auto json = json_of_run({});
    EXPECT_TRUE(json["steps"].empty());
    EXPECT_TRUE(json["budget"]["end_to_end_s"].is_null());
    EXPECT_TRUE(json["budget"]["residual"].is_null());
}

TEST(RunJson, BrokenNamesStillGiveValidJson) {
    strata::Run run =
        testing::run_of({testing::scripted_step("\xFF\n\"", Pass::forward, {Seconds{1}})});
    run.settings.network = "\xC3";
    EXPECT_EQ(json_of_run(run)["steps"][0]["layer"], "\xEF\xBF\xBD\n\"");
}

TEST(RunJson, TheSelectionAppliesToTheSteps) {
    const auto json =
        run_json(testing::scripted_run(testing::zoo_graph("alexnet", 4)), {}, conventions().front(),
                 {.columns = {"layer", "median_s"}, .sort = "median_s", .top = 2});
    ASSERT_EQ(json["steps"].size(), 2U);
    EXPECT_EQ(json["steps"][0].size(), 2U);
    EXPECT_GE(json["steps"][0]["median_s"], json["steps"][1]["median_s"]);
}

TEST(RunJson, HoldsTheWholeRun) {
    testing::expect_golden("view/run-alexnet-4-fc8.json",
                           json_text("run", "0.1",
                                     {{"runs",
                                       {run_json(testing::scripted_run_with_holes("alexnet", 4),
                                                 {.layers = "fc8,lrn2,conv2", .passes = {}})}},
                                      {"sweeps", nlohmann::json::array()},
                                      {"grids", nlohmann::json::array()},
                                      {"pairs", nlohmann::json::array()}}));
}

TEST(RunJson, APairNamesItsRunsAndTheDifferenceOrWhyThereIsNone) {
    const strata::Run before = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const strata::Run incomplete = testing::scripted_run_with_holes("alexnet", 4);
    strata::Run after = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    after.id = 13;
    set_stored(after.settings, "algorithm", "winograd");
    testing::expect_golden(
        "view/pair-alexnet-4.json",
        json_text("run", "0.1",
                  {{"runs", nlohmann::json::array()},
                   {"sweeps", nlohmann::json::array()},
                   {"grids", nlohmann::json::array()},
                   {"pairs", {pair_json(before, after), pair_json(incomplete, after)}}}));
}

TEST(RunJson, AnIncompleteRunSaysSoAndHasNoEndToEndTime) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_EQ(json_of_run(run)["state"], "complete");
    EXPECT_TRUE(json_of_run(run)["incomplete"].is_null());
    run.steps[0].time = Skipped{"no kernel"};
    const auto json = json_of_run(run);
    EXPECT_EQ(json["state"], "incomplete");
    EXPECT_TRUE(json["incomplete"].get<std::string>().ends_with("(conv1 forward: no kernel)"));
    EXPECT_TRUE(json["budget"]["end_to_end_s"].is_null());
    EXPECT_TRUE(json["steps"][1]["share"].is_null());
    EXPECT_TRUE(json["findings"].empty());
    EXPECT_TRUE(json["at_ceilings"].is_null());
}

TEST(RunJson, HoldsTheResultsOfVerification) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_TRUE(json_of_run(run)["verification"].is_null());
    run.verified = {.compared = 2, .without_reference = 1};
    run.steps[0].verified = {.error = 3e-6, .tolerance = 1e-4};
    run.steps[1].verified = {.error = 4e-6, .tolerance = 1e-2};
    const auto json = json_of_run(run);
    EXPECT_EQ(json["verification"]["verified_steps"], 2);
    EXPECT_EQ(json["verification"]["steps_without_reference"], 1);
    EXPECT_EQ(json["verification"]["worst"]["layer"], "conv1");
    EXPECT_EQ(json["steps"][1]["tolerance"], 1e-2);
    EXPECT_TRUE(json["steps"][2]["error"].is_null());
}

}  // namespace
}  // namespace strata
