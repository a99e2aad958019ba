// SPDX-License-Identifier: MIT
#include "analyze/next_command.h"

#include "record/engines.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr Seconds one_second{1};

// Compared with 200 GFLOP/s in f32.
Device device_with_bf16(FlopRate peak) {
    Device device = testing::scripted_device();
    device.compute.push_back({"bf16", {peak, "scripted"}});
    return device;
}

strata::Run run_of_alexnet() {
    strata::Run run;
    run.settings = {.backend = "onednn",
                    .network = "alexnet",
                    .batch = 32,
                    .execution = {.scheduling = {.threads = 2}}};
    run.provenance = {{"cpu.logical", "2"}};
    run.device = testing::scripted_device();
    return run;
}

StepResult step(std::string operation, Pass pass = Pass::forward) {
    StepResult step = testing::scripted_step("conv2", pass, {one_second});
    step.operation = std::move(operation);
    return step;
}

StepResult convolution_of(std::string problem) {
    StepResult one = step("convolution");
    one.algorithm = "direct";
    one.problem = std::move(problem);
    return one;
}

StepBound bound(Bottleneck verdict, double achieved) {
    StepBound bound;
    bound.verdict = verdict;
    bound.achieved = achieved;
    bound.compute = one_second * (verdict == Bottleneck::compute ? achieved : 0.1);
    bound.by_definition = bound.compute;
    bound.memory = one_second * (verdict == Bottleneck::memory ? achieved : 0.1);
    return bound;
}

Advice advice(strata::Run run, StepResult one, const StepBound& bound) {
    run.steps.push_back(std::move(one));
    return advice_for(run, run.steps.size() - 1, bound, one_second);
}

constexpr auto three_by_three =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr auto strided = "convolution(8x64x28x28) out_channels=64 kernel=3x3 stride=2x2";
constexpr auto depthwise = "convolution(8x64x28x28) out_channels=64 kernel=3x3 groups=64";

double share_of(ConvolutionAlgorithm algorithm, const char* problem) {
    for (const AlgorithmOffer& offer :
         offers_of("onednn", parse_problem(problem), Pass::forward, DataType::f32)) {
        if (offer.algorithm == algorithm) {
            return offer.usual_share;
        }
    }
    return 0;
}

TEST(NextCommand, AnAlgorithmThatIsCommonlyFasterIsTuned) {
    const Advice slow =
        advice(run_of_alexnet(), convolution_of(three_by_three), bound(Bottleneck::compute, 0.5));
    EXPECT_EQ(slow.remedy, Remedy::other_algorithm);
    EXPECT_EQ(slow.command, "strata tune alexnet --batch 32");
    EXPECT_EQ(slow.algorithm, PassAlgorithm(ConvolutionAlgorithm::winograd_4x4_3x3));
    const double winograd = share_of(ConvolutionAlgorithm::winograd_4x4_3x3, three_by_three);
    EXPECT_NEAR(slow.saving->value, 1 - 0.5 / winograd, 1e-12);
    const Advice good =
        advice(run_of_alexnet(), convolution_of(three_by_three), bound(Bottleneck::compute, 0.9));
    EXPECT_NEAR(good.saving->value, 1 - 0.9 / winograd, 1e-12)
        << "what does less helps even at the ceiling";
}

TEST(NextCommand, AnAlgorithmThatIsNotFasterIsNotTried) {
    const double gemm = share_of(ConvolutionAlgorithm::implicit_gemm, strided);
    EXPECT_EQ(advice(run_of_alexnet(), convolution_of(strided), bound(Bottleneck::compute, 0.5))
                  .algorithm,
              PassAlgorithm(ConvolutionAlgorithm::implicit_gemm));
    EXPECT_EQ(
        advice(run_of_alexnet(), convolution_of(strided), bound(Bottleneck::compute, gemm * 0.97))
            .remedy,
        Remedy::none);
    EXPECT_EQ(advice(run_of_alexnet(), convolution_of(depthwise), bound(Bottleneck::compute, 0.4))
                  .command,
              "")
        << "a larger batch does not help a convolution";
    StepResult taken = convolution_of(three_by_three);
    taken.algorithm = "winograd-4x4-3x3";
    EXPECT_EQ(advice(run_of_alexnet(), taken, bound(Bottleneck::compute, 0.9)).command, "");
}

TEST(NextCommand, TunedAndUntunableStepsAreNotTunedAgain) {
    strata::Run tuned = run_of_alexnet();
    tuned.settings.execution.engine.choices = {{.problem = "a", .source = ChoiceSource::tuned}};
    EXPECT_EQ(
        advice(tuned, convolution_of(three_by_three), bound(Bottleneck::compute, 0.5)).command, "");
    strata::Run laid_out = run_of_alexnet();
    laid_out.settings.execution.engine.image_layout = ImageLayout::channels_last;
    EXPECT_EQ(
        advice(laid_out, convolution_of(three_by_three), bound(Bottleneck::compute, 0.5)).command,
        "");
    strata::Run peer = run_of_alexnet();
    peer.settings.backend = "pytorch";
    EXPECT_EQ(advice(peer, convolution_of(three_by_three), bound(Bottleneck::compute, 0.5)).command,
              "");
}

TEST(NextCommand, NarrowTypesAreTriedOnlyIfTheMachineMultipliesThemFaster) {
    strata::Run run = run_of_alexnet();
    const StepResult pooling = step("max_pooling");
    EXPECT_EQ(advice(run, pooling, bound(Bottleneck::memory, 0.9)).command, "");
    run.device = device_with_bf16(FlopRate{100e9});
    EXPECT_EQ(advice(run, pooling, bound(Bottleneck::memory, 0.9)).command, "");
    run.device = device_with_bf16(FlopRate{400e9});
    const Advice narrow = advice(run, pooling, bound(Bottleneck::memory, 0.9));
    EXPECT_EQ(narrow.command, "strata run alexnet --batch 32 --dtype f32,bf16");
    EXPECT_NEAR(narrow.saving->value, 0.5, 1e-12);
    EXPECT_EQ(advice(run, step("lrn", Pass::update), bound(Bottleneck::memory, 0.9)).command,
              "strata run alexnet --vary batch=32..128")
        << "the update is in f32";
}

TEST(NextCommand, MemoryBoundWeightsAreSharedByALargerBatch) {
    const StepResult update = step("fully_connected", Pass::update);
    const Advice found = advice(run_of_alexnet(), update, bound(Bottleneck::memory, 0.9));
    EXPECT_EQ(found.command, "strata run alexnet --vary batch=32..128");
    EXPECT_NEAR(found.saving->value, 0.75, 1e-12);
    strata::Run file = run_of_alexnet();
    file.settings.network = "model.onnx";  // its batch may be fixed
    EXPECT_EQ(advice(file, update, bound(Bottleneck::memory, 0.9)).command, "");
    EXPECT_EQ(
        advice(run_of_alexnet(), step("fully_connected"), bound(Bottleneck::compute, 0.5)).command,
        "")
        << "its weights do not wait";
}

TEST(NextCommand, LayersThatAConvolutionCanIncludeAreFused) {
    strata::Run run = run_of_alexnet();
    run.steps = {step("convolution")};
    EXPECT_EQ(advice(run, step("relu"), bound(Bottleneck::memory, 0.9)).command,
              "strata run alexnet --batch 32 --fuse off,on");
    EXPECT_EQ(advice(run, step("batch_normalization"), bound(Bottleneck::memory, 0.9)).command, "")
        << "not in training";
    set_stored(run.settings, "mode", "inference");
    EXPECT_EQ(advice(run, step("batch_normalization"), bound(Bottleneck::memory, 0.9)).command,
              "strata run alexnet --batch 32 --inference --fuse off,on");
    run.steps = {step("max_pooling")};
    EXPECT_EQ(advice(run, step("relu"), bound(Bottleneck::memory, 0.9)).command, "");
}

TEST(NextCommand, OnAGpuUnexplainedTimeIsCounted) {
    strata::Run gpu = run_of_alexnet();
    gpu.settings.backend = "cuda";
    EXPECT_EQ(advice(gpu, step("max_pooling"), bound(Bottleneck::kernel, 0.01)).command,
              "strata run alexnet --batch 32 --backend cuda --slice conv2 --counters default");
    EXPECT_EQ(advice(gpu, convolution_of(three_by_three), bound(Bottleneck::compute, 0.5)).command,
              "strata algorithms alexnet --batch 32 --backend cuda --slice conv2");
    EXPECT_EQ(advice(gpu, step("max_pooling"), bound(Bottleneck::overhead, 0.01)).command, "")
        << "counters do not explain launches";
    EXPECT_EQ(
        advice(run_of_alexnet(), step("max_pooling"), bound(Bottleneck::overhead, 0.01)).command,
        "");
}

TEST(NextCommand, ANarrowerTypeIsNoRemedyOfASlowKernel) {
    strata::Run gpu = run_of_alexnet();
    gpu.settings.backend = "cuda";
    gpu.device->compute.push_back({"bf16", {FlopRate{800e9}, "scripted"}});
    StepBound launches = bound(Bottleneck::overhead, 0.01);
    launches.fixed = one_second * 0.5;
    EXPECT_EQ(advice(gpu, step("lrn"), launches).command, "");
    EXPECT_EQ(advice(gpu, step("lrn"), bound(Bottleneck::kernel, 0.1)).remedy, Remedy::closer_look);
    EXPECT_EQ(advice(gpu, step("lrn"), bound(Bottleneck::memory, 0.6)).remedy,
              Remedy::narrower_type);
}

TEST(NextCommand, KeepsTheSettingsOfTheRun) {
    strata::Run run = run_of_alexnet();
    set_stored(run.settings, "mode", "inference");
    run.settings.execution.scheduling.threads = 1;
    run.settings.dims = {{"tokens", 64}};
    run.settings.slice = "conv*";
    run.settings.execution.scheduling.pinned = false;
    EXPECT_EQ(advice(run, convolution_of(three_by_three), bound(Bottleneck::compute, 0.5)).command,
              "strata tune alexnet --batch 32 --threads 1 --unpinned --inference --slice 'conv*' "
              "--dim tokens=64");
}

TEST(NextCommand, NamesAreQuotedForAShell) {
    strata::Run run = run_of_alexnet();
    run.settings.network = "my nets/it's.onnx";
    run.settings.backend = "cuda";
    StepResult pooling = step("max_pooling");
    pooling.layer = "/a b/[1],2";
    EXPECT_EQ(advice(run, pooling, bound(Bottleneck::kernel, 0.01)).command,
              "strata run 'my nets/it'\\''s.onnx' --batch 32 --backend cuda --slice '/a "
              "b/?1??2' --counters default");
    pooling.layer = "\x1b[31m";
    EXPECT_EQ(advice(run, pooling, bound(Bottleneck::kernel, 0.01)).command, "");
}

TEST(NextCommand, AValueThatACommandWouldTakeForAnOptionIsNotSaid) {
    strata::Run run = run_of_alexnet();
    run.settings.variables = {{"--backend", "cuda"}};
    EXPECT_EQ(advice(run, convolution_of(three_by_three), bound(Bottleneck::compute, 0.5)).command,
              "");
}

TEST(NextCommand, RowsThatAreNoMultipleOf16BytesAreSlowAtAnyBatch) {
    strata::Run run = run_of_alexnet();
    run.settings.backend = "cuda";
    run.ran_on = DeviceKind::gpu;
    run.settings.execution.numerics.dtype = DataType::bf16;
    StepResult head = step("matmul");
    head.problem = "matmul(8192x768:bf16, 50257x768:parameter) transpose_b=true";
    EXPECT_EQ(unaligned_row(run, head), 50257);
    EXPECT_EQ(advice(run, head, bound(Bottleneck::kernel, 0.2)).remedy, Remedy::closer_look);
    head.problem = "matmul(8192x768:bf16, 50304x768:parameter) transpose_b=true";
    EXPECT_EQ(unaligned_row(run, head), std::nullopt);
    head.problem = "fully_connected(64x2050:bf16) out_features=1000";
    EXPECT_EQ(unaligned_row(run, head), 2050);
    run.origin = Origin::modelled;
    EXPECT_EQ(unaligned_row(run, head), 2050);
    run.origin = Origin::imported;
    EXPECT_EQ(unaligned_row(run, head), std::nullopt);
    run.origin = Origin::measured;
    run.ran_on = DeviceKind::cpu;
    EXPECT_EQ(unaligned_row(run, head), std::nullopt);
}

}  // namespace
}  // namespace strata
