// SPDX-License-Identifier: MIT
#include "analyze/ran_algorithms.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

constexpr auto fitting =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr auto strided_layer = "convolution(8x64x28x28) out_channels=64 kernel=3x3 stride=2x2";
constexpr auto few_channels = "convolution(8x3x28x28) out_channels=64 kernel=3x3";

StepResult convolution(std::string algorithm, std::string problem = fitting) {
    StepResult step = testing::scripted_step("conv", Pass::forward, {Seconds{1}});
    step.operation = "convolution";
    step.algorithm = std::move(algorithm);
    step.problem = std::move(problem);
    return step;
}

strata::Run asked_for(std::string algorithm, std::vector<StepResult> steps) {
    strata::Run run = testing::run_of(std::move(steps));
    set_stored(run.settings, "algorithm", algorithm);
    return run;
}

TEST(RanAlgorithms, ATitleNamesTheAlgorithmsThatRan) {
    const StepResult direct = convolution("direct");
    const StepResult winograd = convolution("winograd");
    EXPECT_EQ(algorithm_text(asked_for("direct", {direct})), "direct");
    EXPECT_EQ(algorithm_text(asked_for("winograd", {direct, winograd})), "winograd and direct");
    EXPECT_EQ(algorithm_text(asked_for("winograd", {direct, direct})),
              "direct instead of winograd");
    EXPECT_EQ(algorithm_text(asked_for("auto", {direct, winograd})), "auto (direct and winograd)");
}

TEST(RanAlgorithms, AGpusPlanNamesItsAlgorithmOrNone) {
    const auto text = [](const char* properties) {
        return algorithm_text(asked_for("fastest", {convolution(properties)}));
    };
    EXPECT_EQ(text("tensor cores, winograd"), "fastest (winograd)");
    EXPECT_EQ(text("fft, nondeterministic"), "fastest (fft)");
    EXPECT_EQ(text("winograd-4x4-3x3, by its kernels' names"), "fastest (winograd)");
    EXPECT_EQ(text("tensor cores"), "fastest");
    EXPECT_EQ(text(""), "fastest");
    const StepResult untold = convolution("tensor cores");
    EXPECT_EQ(algorithm_text(asked_for("auto", {untold, convolution("fft")})),
              "auto (fft and others)");
    EXPECT_EQ(algorithm_text(asked_for("winograd", {untold})), "others instead of winograd");
    EXPECT_EQ(algorithm_text(asked_for("direct", {untold})), "direct");
}

TEST(RanAlgorithms, WithoutAConvolutionATitleNamesTheRequest) {
    StepResult skipped = convolution("");
    skipped.time = Skipped{"no kernel"};
    EXPECT_EQ(algorithm_text(asked_for("winograd", {skipped})), "winograd");
}

TEST(RanAlgorithms, ARemarkExplainsWhyConvolutionsDidNotRunAsRequested) {
    EXPECT_EQ(algorithm_remark(asked_for("direct", {convolution("direct")})), "");
    EXPECT_EQ(algorithm_remark(asked_for("winograd", {convolution("winograd")})), "");
    EXPECT_EQ(
        algorithm_remark(asked_for("winograd", {convolution("winograd"), convolution("direct"),
                                                convolution("direct", strided_layer),
                                                convolution("direct", few_channels)})),
        "Winograd was requested, but 3 of 4 convolution steps ran direct: 2 are unsuited to it (it "
        "needs 3x3 kernels at stride 1 and at least 16 channels), and the library has no Winograd "
        "kernel on this machine for 1.");
}

}  // namespace
}  // namespace strata
