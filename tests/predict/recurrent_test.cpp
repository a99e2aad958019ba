// SPDX-License-Identifier: MIT
#include "predict/recurrent.h"

#include "base/enumeration.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

constexpr std::array cells = {RecurrentCell::vanilla, RecurrentCell::lstm, RecurrentCell::gru};
constexpr std::array recurrent_passes = {RecurrentPass::forward, RecurrentPass::backward_data,
                                         RecurrentPass::backward};

RecurrentPrediction predict(const RecurrentProblem& problem,
                            RecurrentAlgorithm algorithm = RecurrentAlgorithm::stepwise) {
    return predict_recurrent(problem, algorithm, find_description("v100"), RecurrentRates());
}

TEST(Recurrent, WorkIsThatOfTheHiddenWeights) {
    const RecurrentProblem problem{
        .cell = RecurrentCell::gru, .hidden = 100, .batch = 8, .steps = 5};
    EXPECT_EQ(problem.flops().value, 2.0 * 3 * 100 * 100 * 8 * 5);
    EXPECT_EQ(problem.weights().value, 3.0 * 100 * 100 * 4);
    const GemmProblem gradient = weights_product(problem);
    EXPECT_EQ(2 * gradient.m * gradient.n * gradient.k,
              static_cast<std::int64_t>(problem.flops().value));
}

TEST(Recurrent, NoPassIsShorterThanArithmeticAtThePeakAndTheWholeIsAtLeastEachPart) {
    const DeviceDescription device = find_description("v100");
    for (const RecurrentCell cell : cells) {
        for (const RecurrentPass pass : recurrent_passes) {
            for (const std::int64_t batch : {1, 16, 33, 64, 256}) {
                const RecurrentProblem problem{
                    .cell = cell, .hidden = 1760, .batch = batch, .steps = 50, .pass = pass};
                const RecurrentPrediction found = predict(problem);
                EXPECT_GT(found.time, problem.flops() / peak_of(device, Arithmetic::f32));
                for (const Seconds part : {found.launch, found.steps, found.arithmetic,
                                           found.latency, found.dram, found.weights}) {
                    EXPECT_LE(part, found.time) << name_of(cell) << name_of(pass);
                }
            }
        }
    }
}

TEST(Recurrent, TimeGrowsWithStepsAndHiddenUnits) {
    for (const RecurrentCell cell : cells) {
        Seconds before;
        for (std::int64_t size = 64; size <= 4096; size *= 2) {
            const Seconds time =
                predict({.cell = cell, .hidden = size, .batch = 32, .steps = size}).time;
            EXPECT_GT(time, before);
            before = time;
        }
    }
}

// Backward, a sum is over the gates of all hidden units; forward, over these units.
TEST(Recurrent, BackwardSumsOverAllGates) {
    RecurrentProblem problem{.cell = RecurrentCell::lstm, .hidden = 512, .batch = 32, .steps = 10};
    const Seconds forward = predict(problem).latency;
    problem.pass = RecurrentPass::backward_data;
    EXPECT_NEAR(predict(problem).latency / forward, 4, 1e-9);
}

// The purpose of the persistent kernel: small batches, whose steps otherwise read all weights.
TEST(Recurrent, WeightsThatFitOnTheProcessorsAreReadOnce) {
    const DeviceDescription device = find_description("v100");
    const RecurrentProblem small{.hidden = 512, .batch = 4, .steps = 400};
    ASSERT_TRUE(can_persist(small, device));
    EXPECT_EQ(planned_algorithm(small, device, {}), RecurrentAlgorithm::persistent);
    const RecurrentPrediction persistent = predict(small, RecurrentAlgorithm::persistent);
    EXPECT_LT(persistent.dram, predict(small).dram);
    EXPECT_NEAR(persistent.dram / (small.weights() / device.dram_bandwidth->value), 1, 1e-9);
    const RecurrentProblem large{.hidden = 4096, .batch = 4, .steps = 400};
    EXPECT_FALSE(can_persist(large, device));
    EXPECT_EQ(planned_algorithm(large, device, {}), RecurrentAlgorithm::stepwise);
}

TEST(Recurrent, SumsAreAssumedToBeShorterFromVoltaOn) {
    const auto latency = [](const char* device) {
        return prior_recurrent_rates(find_description(device)).by_batch[0].multiply;
    };
    EXPECT_LT(latency("v100"), latency("p100"));
    EXPECT_EQ(latency("h100"), latency("v100"));
}

TEST(Recurrent, ADeviceWithoutSharedMemoryKeepsNoWeights) {
    DeviceDescription device = find_description("v100");
    device.shared_memory.reset();
    EXPECT_FALSE(can_persist({.hidden = 16}, device));
}

TEST(Recurrent, BetweenTwoMeasuredBatchesAStepIsBetweenTheirTimes) {
    RecurrentRates rates;
    rates.by_batch = {StepRates{.efficiency = 0.1, .multiply = Seconds{40e-9}},
                      StepRates{.efficiency = 0.3, .multiply = Seconds{60e-9}},
                      StepRates{.efficiency = 0.5, .multiply = Seconds{70e-9}},
                      StepRates{.efficiency = 0.9, .multiply = Seconds{80e-9}}};
    const DeviceDescription device = find_description("v100");
    const auto latency = [&](std::int64_t batch) {
        return predict_recurrent({.hidden = 512, .batch = batch, .steps = 10},
                                 RecurrentAlgorithm::stepwise, device, rates)
            .latency.value;
    };
    EXPECT_EQ(latency(1), latency(16));
    EXPECT_EQ(latency(200), latency(128));
    EXPECT_NEAR(latency(32) / latency(16), 1.5, 1e-12);
    for (std::int64_t batch = 16; batch < 128; ++batch) {
        EXPECT_GT(latency(batch + 1), latency(batch));
        EXPECT_LT(latency(batch + 1), 1.04 * latency(batch));
    }
}

}  // namespace

}  // namespace strata::testing
