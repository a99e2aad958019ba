// SPDX-License-Identifier: MIT
#include "view/measured_problems.h"

#include "base/error.h"
#include "predict/problems.h"
#include "tests/support/error_message.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace strata::testing {

namespace {

StepResult library_step(std::string problem, Pass pass, double microseconds) {
    const Seconds time{microseconds * 1e-6};
    StepResult step = scripted_step("layer", pass, {time, time, time});
    step.problem = std::move(problem);
    step.kind = StepKind::compute;
    step.implementation = "cudnn:eng62 k2=4, k13=0";
    step.implementation_kind = ImplementationKind::library;
    return step;
}

Run gpu_run(std::vector<StepResult> steps) {
    Run run = run_of(std::move(steps));
    run.id = 7;
    run.origin = Origin::measured;
    run.ran_on = DeviceKind::gpu;
    run.empty_step = Seconds{1e-6};
    run.settings.backend = "cuda";
    run.settings.network = "fc:layers=2,nodes=8";
    run.provenance["gpu.name"] = "NVIDIA H100 80GB HBM3";
    return run;
}

constexpr const char* small_filter =
    "convolution(8x32x14x14:bf16, 64x8x3x3:parameter) out_channels=64 kernel=3x3 stride=2x2 "
    "pad_begin=1x1 pad_end=1x1 dilation=2x2 groups=4 bias=false";

TEST(MeasuredProblems, AConvolutionIsReadBackAsItWasMeasured) {
    const auto run = gpu_run({library_step(small_filter, Pass::backward_weights, 100)});
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::convolutions);
    EXPECT_EQ(found.problems, 1U);
    const ProblemTable table = read_problems(found.csv, "x.csv");
    ASSERT_EQ(table.rows.size(), 1U);
    const ProblemRow& row = table.rows[0];
    EXPECT_EQ(row.device, "h100");
    EXPECT_EQ(row.problem_class, "convolution 16 bits backward_weights");
    EXPECT_DOUBLE_EQ(row.measured->value, 100e-6);
    const ConvolutionProblem& problem = std::get<ConvolutionRow>(row.problem).problem;
    EXPECT_EQ(problem.n, 8);
    EXPECT_EQ(problem.c, 32);
    EXPECT_EQ(problem.k, 64);
    EXPECT_EQ(problem.r, 3);
    EXPECT_EQ(problem.pad_w, 1);
    EXPECT_EQ(problem.stride_h, 2);
    EXPECT_EQ(problem.dilation_h, 2);
    EXPECT_EQ(problem.groups, 4);
    EXPECT_EQ(problem.element_bytes, 2);
    EXPECT_NE(found.csv.find("cudnn:eng62 k2=4  k13=0,fc:layers=2 nodes=8,layer"),
              std::string::npos)
        << found.csv;
}

// y = x W^T, whose result is 32 x 1000 and whose sum is over 512.
TEST(MeasuredProblems, AProductIsReadBackWithItsOrientation) {
    const auto run = gpu_run(
        {library_step("fully_connected(32x512) out_features=1000", Pass::forward, 50),
         library_step("fully_connected(32x512) out_features=1000", Pass::backward_data, 60)});
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::products);
    const ProblemTable table = read_problems(found.csv, "x.csv");
    ASSERT_EQ(table.rows.size(), 2U);
    const GemmProblem& forward = std::get<GemmRow>(table.rows[0].problem).problem;
    EXPECT_EQ(forward.m, 32);
    EXPECT_EQ(forward.n, 1000);
    EXPECT_EQ(forward.k, 512);
    EXPECT_TRUE(forward.b_is_transposed);
    const GemmProblem& data = std::get<GemmRow>(table.rows[1].problem).problem;
    EXPECT_EQ(data.n, 512);
    EXPECT_EQ(data.k, 1000);
    EXPECT_FALSE(data.b_is_transposed);
    EXPECT_EQ(table.rows[0].problem_class, "gemm fp32");
}

// dW = dy^T x, whose sum runs over rows.
TEST(MeasuredProblems, AGradientOfWeightsHasTheRowsOfBothItsOperands) {
    const auto run = gpu_run({library_step("fully_connected(3x512) out_features=1000 bias=false",
                                           Pass::backward_weights, 50)});
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::products);
    const ProblemTable table = read_problems(found.csv, "x.csv");
    ASSERT_EQ(table.rows.size(), 1U) << found.csv;
    const GemmProblem& weights = std::get<GemmRow>(table.rows[0].problem).problem;
    EXPECT_EQ(weights.k, 3);
    EXPECT_TRUE(weights.a_is_transposed);
    EXPECT_EQ(weights.load_bytes, 16);
}

TEST(MeasuredProblems, StepsMayBeShorterIfAsked) {
    const auto run =
        gpu_run({library_step("fully_connected(32x512) out_features=1000", Pass::forward, 4)});
    EXPECT_EQ(measured_problems(std::span(&run, 1), ProblemKind::products).problems, 0U);
    EXPECT_EQ(measured_problems(std::span(&run, 1), ProblemKind::products, 2).problems, 1U);
}

TEST(MeasuredProblems, ReducedSinglePrecisionHasAClassOfItsOwn) {
    auto run = gpu_run({library_step(
        "convolution(8x32x14x14) out_channels=64 kernel=1x1 bias=false", Pass::forward, 100)});
    run.settings.execution.numerics.single_precision = SinglePrecision::tf32;
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::convolutions);
    EXPECT_EQ(read_problems(found.csv, "x.csv").rows.at(0).problem_class,
              "convolution tf32 forward");
}

TEST(MeasuredProblems, AttentionNamesItsLibraryAndAlgorithm) {
    StepResult step = library_step(
        "attention(4x128x512:bf16, 4x128x512:bf16, 4x128x512:bf16) heads=8 causal=true",
        Pass::backward_data, 90);
    step.algorithm = "fused, atomic additions";
    const auto run = gpu_run({step});
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::attention);
    const ProblemTable table = read_problems(found.csv, "x.csv");
    const auto& row = std::get<AttentionRow>(table.rows.at(0).problem);
    EXPECT_EQ(row.algorithm, AttentionAlgorithm::fused);
    EXPECT_EQ(row.library, "cuda");
    EXPECT_EQ(row.problem.heads, 8);
    EXPECT_EQ(row.problem.width, 64);
    EXPECT_EQ(row.problem.mask, AttentionMask::causal);
    EXPECT_EQ(row.problem.pass, AttentionPass::backward);
    step.algorithm = "unfused";
    const auto unfused = gpu_run({step});
    EXPECT_EQ(measured_problems(std::span(&unfused, 1), ProblemKind::attention).left_out,
              (std::map<std::string, std::size_t>{{"of several kernels", 1}}));
}

TEST(MeasuredProblems, EqualProblemsAreOneRowWithTheMedian) {
    const auto run = gpu_run({library_step(small_filter, Pass::forward, 100),
                              library_step(small_filter, Pass::forward, 300),
                              library_step(small_filter, Pass::forward, 120)});
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::convolutions);
    EXPECT_EQ(found.problems, 1U);
    EXPECT_EQ(found.steps, 3U);
    EXPECT_DOUBLE_EQ(read_problems(found.csv, "x.csv").rows.at(0).measured->value, 120e-6);
}

TEST(MeasuredProblems, WhatIsNotOneKernelOfTheLibraryIsLeftOutAndCounted) {
    const std::string with_bias = "convolution(8x32x14x14) out_channels=64 kernel=1x1";
    StepResult own = library_step(small_filter, Pass::forward, 100);
    own.implementation_kind = ImplementationKind::own;
    StepResult failed = library_step(small_filter, Pass::forward, 100);
    failed.time = Failed{"out of memory"};
    StepResult follower = library_step("activation(8x64x7x7)", Pass::forward, 100);
    follower.layer = "relu";
    follower.time = Included{"first forward"};
    StepResult first = library_step(small_filter, Pass::forward, 100);
    first.layer = "first";
    const auto run = gpu_run({library_step(with_bias, Pass::forward, 100),
                              library_step(with_bias, Pass::backward_weights, 100),
                              library_step(with_bias, Pass::backward_data, 100), own, failed, first,
                              follower, library_step(small_filter, Pass::forward, 9.9),
                              library_step(small_filter, Pass::forward, 10)});
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::convolutions);
    EXPECT_EQ(found.steps, 2U);
    EXPECT_EQ(left_out_sentence(found, ProblemKind::convolutions),
              "6 of 8 steps with convolutions are left out: 1 by strata's own kernels, 1 fused "
              "with other layers, 2 of several kernels, 1 too short beside their time stamps, 1 "
              "without a time");
}

TEST(MeasuredProblems, StampsOfUnknownCostAndDelayedSamplesAreLeftOut) {
    auto run = gpu_run({library_step(small_filter, Pass::forward, 100)});
    run.empty_step.reset();
    EXPECT_EQ(measured_problems(std::span(&run, 1), ProblemKind::convolutions).problems, 0U);
    run.empty_step = Seconds{1e-6};
    std::get<Samples>(run.steps[0].time).disturbed = {true, true, true};
    const MeasuredProblems found = measured_problems(std::span(&run, 1), ProblemKind::convolutions);
    EXPECT_EQ(found.left_out.at("delayed by other programs"), 1U);
}

TEST(MeasuredProblems, OnlyRunsMeasuredOnAGpuAreTaken) {
    auto run = gpu_run({});
    run.ran_on = DeviceKind::cpu;
    const auto take = [&] { measured_problems(std::span(&run, 1), ProblemKind::products); };
    EXPECT_EQ(error_of(take),
              "run 7 was not measured on a GPU, whose kernels tables of problems hold; choose "
              "others (strata runs), or fit this processor with strata calibrate --operators");
    run.ran_on = DeviceKind::gpu;
    run.origin = Origin::modelled;
    EXPECT_NE(error_of(take), "no error");
}

}  // namespace

}  // namespace strata::testing
