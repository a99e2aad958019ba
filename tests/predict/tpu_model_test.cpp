// SPDX-License-Identifier: MIT
#include "predict/tpu_model.h"

#include "base/error.h"
#include "networks/network.h"
#include "predict/arithmetic.h"
#include "predict/network.h"
#include "predict/problems.h"
#include "predict/rates.h"
#include "predict/sensitivity.h"
#include "tests/support/shared_directory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace strata::testing {

namespace {

Graph network_of(const TrainingStepProblem& p) {
    return load_network({.network = fmt::format("fc:layers={},nodes={},inputs={},outputs={}",
                                                p.layers, p.nodes, p.inputs, p.outputs),
                         .batch = p.batch,
                         .dims = {},
                         .variables = {}});
}

Seconds predicted(const TrainingStepProblem& problem, const DeviceModel& device) {
    return predict_network(network_of(problem), {}, device).time();
}

// A sample of ParaDnn's grid.
std::vector<TrainingStepProblem> grid(std::int64_t cores) {
    std::vector<TrainingStepProblem> problems;
    for (const std::int64_t layers : {4, 32, 128}) {
        for (const std::int64_t nodes : {32, 512, 4096}) {
            for (const std::int64_t inputs : {2000, 8000}) {
                for (const std::int64_t batch : {64, 1024, 16384}) {
                    problems.push_back({layers, nodes, inputs, 1000, batch, cores});
                }
            }
        }
    }
    return problems;
}

double median_of_errors(std::vector<double> errors) {
    std::ranges::sort(errors);
    return errors.at(errors.size() / 2);
}

TEST(TpuModel, NetworksAgreeWithTheModelOfWholeTrainingSteps) {
    const auto rates = shipped_rates_of("tpu-v2").training_step.begin()->second;
    for (const char* name : {"tpu-v2", "tpu-v2-8", "tpu-v3-8"}) {
        const DeviceDescription device = find_description(name);
        const auto model = model_of(device);
        const auto cores = static_cast<std::int64_t>(device.processors->value.value);
        std::vector<double> errors;
        for (const TrainingStepProblem& problem : grid(cores)) {
            const Seconds whole = predict_training_step(problem, device, rates).time;
            const double error = std::abs(predicted(problem, *model) / whole - 1);
            EXPECT_LT(error, 0.05)
                << name << ": " << problem.layers << " layers of " << problem.nodes << ", inputs "
                << problem.inputs << ", batch " << problem.batch;
            errors.push_back(error);
        }
        EXPECT_LT(median_of_errors(std::move(errors)), 0.01) << name;
    }
}

TEST(TpuModel, ReleasedTrainingStepsArePredictedWithinAFewPercent) {
    const auto file = shared_directory() / "data/paradnn/tpu_fc.json";
    if (!std::filesystem::exists(file)) {
        GTEST_SKIP() << file << " is not here";
    }
    const std::vector<ProblemRow> table = read_problem_file(file.string()).rows;
    const auto model = model_of(find_description("tpu-v2-8"));
    std::vector<double> errors;
    for (std::size_t i = 0; i < table.size(); i += 12) {  // includes each kind of network
        const auto& problem = std::get<TrainingStepProblem>(table[i].problem);
        errors.push_back(std::abs(predicted(problem, *model) / *table[i].measured - 1));
    }
    EXPECT_LT(median_of_errors(std::move(errors)), 0.06);
}

TEST(TpuModel, NoIterationIsFasterThanItsArithmeticItsTrafficOrItsInfeed) {
    const auto model = model_of(find_description("tpu-v2-8"));
    for (const TrainingStepProblem& problem : grid(8)) {
        const Seconds time = predicted(problem, *model);
        EXPECT_GT(time, problem.flops() / peak_of(model->device(), Arithmetic::bf16));
        EXPECT_GT(time, Bytes{4 * problem.parameters()} / model->device().dram_bandwidth->value);
        EXPECT_GT(time, tpu_of(model->device()).rates.infeed_wait);
    }
}

TEST(TpuModel, TheWholeIsItsStepsAndWhatNoStepHas) {
    const auto model = model_of(find_description("tpu-v3"));
    const Graph graph =
        load_network({.network = "resnet-50", .batch = 64, .dims = {}, .variables = {}});
    const NetworkPrediction found = predict_network(graph, {}, *model);
    Seconds sum;
    for (const PredictedStep& step : found.steps) {
        EXPECT_EQ(step.refusal, "");
        EXPECT_GE(step.time(), Seconds{});
        sum += step.time();
    }
    EXPECT_GT(found.beyond, Seconds{});
    EXPECT_NEAR(found.time().value, (sum + found.beyond).value, 1e-12);
}

TEST(TpuModel, ANewerBoardIsNeverSlowerAndABoardIsFasterThanItsChip) {
    const auto v2 = model_of(find_description("tpu-v2-8")),
               v3 = model_of(find_description("tpu-v3-8")),
               chip = model_of(find_description("tpu-v2"));
    const TrainingStepProblem large{
        .layers = 8, .nodes = 8192, .inputs = 2000, .outputs = 1000, .batch = 16384};
    EXPECT_LT(predicted(large, *v2), predicted(large, *chip));
    for (const TrainingStepProblem& problem : grid(8)) {
        EXPECT_LE(predicted(problem, *v3), predicted(problem, *v2));
    }
}

TEST(TpuModel, TwiceAsMuchOfEverythingTakesHalfTheTime) {
    const auto model = model_of(find_description("tpu-v2-8"));
    auto doubled = model->scaled(Resource::compute, 2);
    for (const Resource resource : {Resource::dram_bandwidth, Resource::launch}) {
        doubled = doubled->scaled(resource, 2);
    }
    const TrainingStepProblem problem{
        .layers = 16, .nodes = 1024, .inputs = 2000, .outputs = 1000, .batch = 2048};
    EXPECT_NEAR(predicted(problem, *doubled) / predicted(problem, *model), 0.5, 1e-9);
    EXPECT_NEAR(sensitivity_of(*plan_of(network_of(problem), {}), {}, *model).whole.sum(), 1, 0.01);
}

TEST(TpuModel, ChangesOfTheDeviceChangeItsTimes) {
    const TrainingStepProblem problem{
        .layers = 16, .nodes = 1024, .inputs = 2000, .outputs = 1000, .batch = 2048};
    const DeviceDescription device = find_description("tpu-v2-8");
    const Seconds usual = predicted(problem, *model_of(device));
    EXPECT_LT(predicted(problem, *model_of(device, {"dram_bandwidth=2x"})), usual);
    EXPECT_LT(predicted(problem, *model_of(device, {"launch=0.5x"})), usual);
    EXPECT_GT(predicted(problem, *model_of(device, {"launch=1ms"})), usual);
    EXPECT_THROW(model_of(device, {"launch=soon"}), Error);
    EXPECT_THROW(model_of(device, {"wings=2"}), Error);
}

TEST(TpuModel, WhatHasNoModelSaysWhy) {
    const auto model = model_of(find_description("tpu-v2"));
    const auto refusal_in = [&](const char* network, DataType dtype) {
        Execution execution;
        execution.numerics.dtype = dtype;
        const Graph graph =
            load_network({.network = network, .batch = 8, .dims = {}, .variables = {}});
        for (const PredictedStep& step : predict_network(graph, execution, *model).steps) {
            if (!step.refusal.empty()) {
                return step.refusal;
            }
        }
        return std::string();
    };
    EXPECT_EQ(refusal_in("fc:layers=2", DataType::bf16), "");
    EXPECT_NE(refusal_in("fc:layers=2", DataType::f64).find("f64"), std::string::npos);
    EXPECT_NE(refusal_in("lstm:hidden=64", DataType::f32).find("recurrent"), std::string::npos);
}

}  // namespace

}  // namespace strata::testing
