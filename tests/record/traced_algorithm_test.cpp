// SPDX-License-Identifier: MIT
#include "record/traced_algorithm.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr auto three_by_three = "convolution(8x64x28x28) out_channels=64 kernel=3x3";
constexpr auto five_by_five = "convolution(8x64x28x28) out_channels=64 kernel=5x5";

// The algorithm of a step whose second kernel has this name.
std::string found(const std::string& kernel, const std::string& algorithm = "",
                  const std::string& problem = three_by_three) {
    strata::Run run;
    StepResult& step = run.steps.emplace_back();
    step.layer = "conv";
    step.operation = "convolution";
    step.pass = Pass::backward_weights;
    step.algorithm = algorithm;
    step.problem = problem;
    run.trace = TraceResult{};
    for (const std::string& name : {std::string("fill"), kernel}) {
        run.trace->spans.push_back(
            {.span = {.name = name}, .layer = "conv", .pass = Pass::backward_weights});
    }
    run.trace->spans.push_back({.span = {.name = "fft"}, .layer = "conv", .pass = Pass::forward});
    add_traced_algorithms(run);
    return run.steps.front().algorithm;
}

TEST(TracedAlgorithm, IsNamedByTheKernels) {
    EXPECT_EQ(found("void cudnn::winograd_nonfused::winogradWgradDelta4x4<float>(int)"),
              "winograd-4x4-3x3, by its kernels' names");
    EXPECT_EQ(found("void fft2d_r2c_16x16<float>(float2*)"), "fft, by its kernels' names");
}

TEST(TracedAlgorithm, ATileThatStrataDoesNotKnowIsLeftOpen) {
    for (const char* kernel : {"void cudnn::winogradWgradDelta9x9_5x5<float>(int)",
                               "maxwell_scudnn_winograd_128x128_ldg1_nt", "winograd"}) {
        EXPECT_EQ(found(kernel, "", five_by_five), "winograd, by its kernels' names") << kernel;
    }
    EXPECT_EQ(found("winogradForwardData4x4", "", "of another version"),
              "winograd, by its kernels' names");
}

TEST(TracedAlgorithm, WhatTheLibraryTellsStays) {
    EXPECT_EQ(found("winogradWgradDelta4x4", "direct"), "direct");
    EXPECT_EQ(found("winogradWgradDelta4x4", "winograd-2x2-3x3"), "winograd-2x2-3x3");
    EXPECT_EQ(found("winogradWgradDelta4x4", "winograd"),
              "winograd-4x4-3x3, by its kernels' names, winograd");
    EXPECT_EQ(found("winograd", "winograd"), "winograd") << "no tile";
    EXPECT_EQ(found("winogradWgradDelta4x4", "after 1 plan was refused"),
              "winograd-4x4-3x3, by its kernels' names, after 1 plan was refused");
    EXPECT_EQ(found("void winograd_nonfused::gemm<int>()"), "") << "only a scope";
    EXPECT_EQ(found("sm80_xmma_gemm_f32f32"), "");
}

TEST(TracedAlgorithm, AddedOnceItIsRecognised) {
    strata::Run run;
    StepResult& step = run.steps.emplace_back();
    step.layer = "conv";
    step.operation = "convolution";
    EXPECT_FALSE(is_of_trace(run.steps.front()));
    run.trace = TraceResult{};
    run.trace->spans = {{.span = {.name = "fft"}, .layer = "conv", .pass = Pass::forward}};
    add_traced_algorithms(run);
    EXPECT_TRUE(is_of_trace(run.steps.front()));
    const std::string once = run.steps.front().algorithm;
    add_traced_algorithms(run);
    EXPECT_EQ(run.steps.front().algorithm, once);
}

}  // namespace
}  // namespace strata
