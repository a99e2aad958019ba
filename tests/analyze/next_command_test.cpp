// SPDX-License-Identifier: MIT
#include "analyze/next_command.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr auto three_by_three =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr auto strided = "convolution(8x64x28x28) out_channels=64 kernel=3x3 stride=2x2";

strata::Run run_on(std::string version, std::string isa) {
    strata::Run run;
    run.settings = {.backend = "onednn",
                    .network = "alexnet",
                    .batch = 32,
                    .execution = {.scheduling = {.threads = 2}}};
    run.provenance = {{"backend.version", std::move(version)},
                      {"backend.details", "isa " + std::move(isa) + ", OpenMP threads"},
                      {"cpu.logical", "2"}};
    return run;
}

strata::Run on_avx512() {
    return run_on("2.6.3", "avx512_core_bf16");
}

StepResult step(std::string operation, std::string problem = "", Pass pass = Pass::forward) {
    StepResult step = testing::scripted_step("conv2", pass, {Seconds{1}});
    step.operation = std::move(operation);
    step.problem = std::move(problem);
    return step;
}

StepBound bound(Bottleneck verdict, double achieved) {
    StepBound bound;
    bound.verdict = verdict;
    bound.achieved = achieved;
    return bound;
}

const StepBound slow_arithmetic = bound(Bottleneck::compute, 0.4);
const StepBound good_arithmetic = bound(Bottleneck::compute, 0.9);

TEST(NextCommand, AlgorithmsAreComparedWhereTheLibraryHasSeveral) {
    const StepResult convolution = step("convolution", three_by_three);
    EXPECT_EQ(command_for(on_avx512(), convolution, slow_arithmetic),
              "strata algorithms alexnet --batch 32 --slice conv2");
    EXPECT_EQ(command_for(on_avx512(), convolution, good_arithmetic),
              "strata run alexnet --batch 32 --algorithm direct,winograd");
}

TEST(NextCommand, WinogradIsNotTriedWhereThereIsNone) {
    const StepResult convolution = step("convolution", three_by_three);
    for (const auto& run : {run_on("3.6.0", "avx512_core"), run_on("2.6.3", "avx2")}) {
        EXPECT_EQ(command_for(run, convolution, slow_arithmetic),
                  "strata run alexnet --vary batch=32..128");
        EXPECT_EQ(command_for(run, convolution, good_arithmetic), "");
    }
    EXPECT_EQ(command_for(on_avx512(), step("convolution", strided), good_arithmetic),
              "strata run alexnet --batch 32 --dtype f32,bf16");
}

TEST(NextCommand, NarrowTypesAreTriedOnlyWhereTheMachineMultipliesThem) {
    const StepResult relu = step("relu");
    EXPECT_EQ(command_for(on_avx512(), relu, bound(Bottleneck::memory, 0.9)),
              "strata run alexnet --batch 32 --dtype f32,bf16");
    EXPECT_EQ(command_for(run_on("2.6.3", "avx2"), relu, bound(Bottleneck::memory, 0.9)), "");
}

TEST(NextCommand, WeightsThatWaitForMemoryAreSharedByALargerBatch) {
    EXPECT_EQ(command_for(on_avx512(), step("fully_connected", "", Pass::update),
                          bound(Bottleneck::memory, 0.9)),
              "strata run alexnet --vary batch=32..128");
    strata::Run file = on_avx512();
    file.settings.network = "model.onnx";  // its batch may be fixed
    EXPECT_EQ(command_for(file, step("fully_connected", "", Pass::update),
                          bound(Bottleneck::memory, 0.9)),
              "");
}

TEST(NextCommand, WhatNothingExplainsIsTriedAlone) {
    EXPECT_EQ(command_for(on_avx512(), step("max_pooling"), bound(Bottleneck::overhead, 0.01)),
              "strata run alexnet --batch 32 --slice conv2 --cache warm");
    StepResult reference = step("lrn");
    reference.implementation = "ref:any";
    EXPECT_EQ(command_for(on_avx512(), reference, bound(Bottleneck::overhead, 0.01)),
              "strata doctor");
    EXPECT_EQ(command_for(on_avx512(), step("fully_connected"), bound(Bottleneck::overhead, 0.01)),
              "strata run alexnet --vary batch=32..128");
    strata::Run gpu = on_avx512();
    gpu.settings.backend = "cuda";
    EXPECT_EQ(command_for(gpu, step("max_pooling"), bound(Bottleneck::overhead, 0.01)),
              "strata run alexnet --batch 32 --backend cuda --slice conv2 --counters default");
    strata::Run plain = on_avx512();
    plain.settings.backend = "reference";
    EXPECT_EQ(command_for(plain, step("max_pooling"), bound(Bottleneck::overhead, 0.01)), "");
}

TEST(NextCommand, LeavesAStoredTuningToBeTakenAgain) {
    strata::Run run = on_avx512();
    run.settings.execution.engine.algorithm = ConvolutionAlgorithm::fastest;
    set_further(run.settings, "choices",
                "a forward=winograd-4x4-3x3 (tuned)+a backward_data=direct (tuned)");
    EXPECT_EQ(command_for(run, step("max_pooling"), bound(Bottleneck::overhead, 0.01)),
              "strata run alexnet --batch 32 --slice conv2 --cache warm");
}

TEST(NextCommand, KeepsTheSettingsOfTheRun) {
    strata::Run run = on_avx512();
    set_stored(run.settings, "mode", "inference");
    run.settings.execution.scheduling.threads = 1;
    run.settings.dims = {{"tokens", 64}};
    run.settings.slice = "conv*";
    run.settings.execution.scheduling.pinned = false;
    EXPECT_EQ(command_for(run, step("max_pooling"), bound(Bottleneck::overhead, 0.01)),
              "strata run alexnet --batch 32 --threads 1 --unpinned --inference --dim tokens=64 "
              "--slice conv2 --cache warm");
}

TEST(NextCommand, AShellTakesNamesAsTheyAre) {
    strata::Run run = on_avx512();
    run.settings.network = "my nets/it's.onnx";
    StepResult pooling = step("max_pooling");
    pooling.layer = "/a b/[1],2";
    EXPECT_EQ(command_for(run, pooling, bound(Bottleneck::overhead, 0.01)),
              "strata run 'my nets/it'\\''s.onnx' --batch 32 --slice '/a b/?1??2' --cache warm");
    pooling.layer = "\x1b[31m";
    EXPECT_EQ(command_for(run, pooling, bound(Bottleneck::overhead, 0.01)), "");
}

}  // namespace
}  // namespace strata
