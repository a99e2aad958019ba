// SPDX-License-Identifier: MIT
#include "predict/training_step.h"

#include "base/error.h"
#include "predict/accuracy.h"
#include "tests/support/shared_directory.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace strata::testing {

namespace {

constexpr TrainingStepProblem usual{
    .layers = 32, .nodes = 512, .inputs = 8000, .outputs = 200, .batch = 1024};

TrainingStepPrediction predict(const TrainingStepProblem& problem) {
    return predict_training_step(problem, find_description("tpu-v2"), {});
}

std::string refusal_of_results(std::string_view json) {
    try {
        paradnn_csv(json, "tpu-v2", "x.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

// ParaDnn states 12.34 million parameters for this network.
TEST(TrainingStep, ParametersAreThoseThatParaDnnStates) {
    EXPECT_NEAR(usual.parameters(), 12.34e6, 0.005e6);
}

TEST(TrainingStep, TheStepIsAtLeastItsPartsAndArithmeticAtThePeak) {
    const TrainingStepPrediction found = predict(usual);
    const Seconds board = found.launch + found.products + found.optimizer + found.all_reduce;
    EXPECT_GE(found.time, board);
    EXPECT_GE(found.time, found.infeed);
    EXPECT_LE(found.time, board + found.infeed);
    constexpr double chips = 4;
    EXPECT_GT(found.time,
              usual.flops() / (peak_of(find_description("tpu-v2"), Arithmetic::bf16) * chips));
}

TEST(TrainingStep, MoreOfAnythingIsNeverFaster) {
    const Seconds time = predict(usual).time;
    for (auto extent :
         {&TrainingStepProblem::layers, &TrainingStepProblem::nodes, &TrainingStepProblem::inputs,
          &TrainingStepProblem::outputs, &TrainingStepProblem::batch}) {
        TrainingStepProblem more = usual;
        more.*extent *= 2;
        EXPECT_GE(predict(more).time, time);
    }
}

// ParaDnn's finding: small networks with large batches wait for their samples.
TEST(TrainingStep, SmallNetworksWaitForTheInfeedAndLargeOnesForTheArrays) {
    const auto small =
        predict({.layers = 4, .nodes = 64, .inputs = 8000, .outputs = 1000, .batch = 16384});
    EXPECT_GT(small.infeed, 10 * small.products);
    const auto large =
        predict({.layers = 16, .nodes = 8192, .inputs = 2000, .outputs = 200, .batch = 4096});
    EXPECT_GT(large.products, large.infeed);
}

TEST(TrainingStep, ResultsOfParaDnnBecomeATable) {
    EXPECT_EQ(paradnn_csv(R"({"labels": ["layer_4-node_64-input_2000-output_200-bs_128"],
                              "step_per_sec": [400.0]})",
                          "tpu-v2", "x.json"),
              "device,layers,nodes,inputs,outputs,batch,milliseconds\n"
              "tpu-v2,4,64,2000,200,128,2.5\n");
    EXPECT_EQ(refusal_of_results("{"),
              "x.json: has no list 'labels'; give results of ParaDnn, or a table");
    EXPECT_EQ(refusal_of_results(R"({"labels": [], "step_per_sec": [1]})"),
              "x.json: has 0 labels and 1 step_per_sec");
    EXPECT_EQ(refusal_of_results(R"({"labels": ["layer_4-node_x"], "step_per_sec": [1]})"),
              "x.json: the label 'layer_4-node_x' is not of the form "
              "layer_L-node_n-input_I-output_O-bs_B");
    EXPECT_EQ(refusal_of_results(R"({"labels": ["x"], "step_per_sec": [0]})"),
              "x.json: entry 1 of labels and step_per_sec is no text and no positive number");
}

TEST(TrainingStep, OnlyTpusTakeIt) {
    EXPECT_THROW(predict_training_step(usual, find_description("v100"), {}), Error);
}

TEST(TrainingStep, PublishedStepsArePredictedAsStated) {
    const auto file = shared_directory() / "data" / "paradnn" / "tpu_fc.json";
    if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << "no published measurements; set STRATA_SHARED_DIR";
    }
    const ProblemTable table = read_problem_file(file.string());
    std::vector<const ProblemRow*> rows;
    for (const ProblemRow& row : table.rows) {
        rows.push_back(&row);
    }
    for (const AccuracyRow& row : accuracy_of(rows)) {
        if (row.split == "cross-validated") {
            EXPECT_EQ(row.errors.n, 1724U);
            EXPECT_LT(row.errors.median, 0.035);
            EXPECT_LT(row.errors.mape, 0.06);
        }
    }
}

}  // namespace

}  // namespace strata::testing
