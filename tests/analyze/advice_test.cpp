// SPDX-License-Identifier: MIT
#include "analyze/advice.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

StepBound bound_at(Bottleneck verdict, double achieved) {
    StepBound found;
    found.verdict = verdict;
    found.ceiling = verdict == Bottleneck::compute ? "f32 peak" : "DRAM bandwidth";
    found.achieved = achieved;
    found.compute = Seconds{0.01};
    found.memory = Seconds{0.02};
    found.bound = Seconds{achieved};
    return found;
}

StepResult convolution_step(std::string problem) {
    StepResult step = testing::scripted_step("conv", Pass::forward, {Seconds{1}});
    step.operation = "convolution";
    step.algorithm = "direct";
    step.implementation = "jit:avx512_core";
    step.problem = std::move(problem);
    return step;
}

std::string reason(const StepResult& step, Bottleneck verdict, double achieved) {
    StepEvidence evidence;
    add(evidence, step, bound_at(verdict, achieved), Seconds{1});
    return reason_for(evidence);
}

bool mentions(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

constexpr auto padded_three_by_three =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr auto first_layer = "convolution(8x3x224x224) out_channels=64 kernel=7x7 stride=2x2";

TEST(Reason, ASlowFirstLayerIsExplainedByItsFewChannels) {
    EXPECT_TRUE(mentions(reason(convolution_step(first_layer), Bottleneck::compute, 0.4),
                         "3 input channels leave vector lanes empty"));
    EXPECT_FALSE(mentions(reason(convolution_step(padded_three_by_three), Bottleneck::compute, 0.4),
                          "vector lanes"));
}

TEST(Reason, BeyondThePeakTheAlgorithmIsTheReason) {
    StepResult step = convolution_step(padded_three_by_three);
    step.algorithm = "winograd";
    EXPECT_TRUE(mentions(reason(step, Bottleneck::compute, 1.4), "the algorithm executes fewer"));
}

TEST(Reason, AnUpdateIsExplainedByTrafficIndependentOfTheBatch) {
    StepResult step = testing::scripted_step("a", Pass::update, {Seconds{1}});
    EXPECT_TRUE(mentions(reason(step, Bottleneck::memory, 0.9), "optimizer state"));
}

TEST(Reason, ReferenceCodeIsNamedAsTheReason) {
    StepResult step = testing::scripted_step("a", Pass::forward, {Seconds{1}});
    step.implementation = "ref:any";
    step.implementation_kind = ImplementationKind::library_reference;
    EXPECT_TRUE(mentions(reason(step, Bottleneck::overhead, 0.1), "ref:any is unoptimised code"));
}

TEST(Reason, OnAGpuLaunchesTakeTheTimeOrExplainNothing) {
    StepResult step = convolution_step("");
    const auto told = [&](Bottleneck verdict, double launches) {
        StepBound bound = bound_at(verdict, 0.1);
        bound.fixed = Seconds{launches};
        StepEvidence evidence;
        add(evidence, step, bound, Seconds{1});
        return reason_for(evidence);
    };
    EXPECT_EQ(
        told(Bottleneck::overhead, 0.4),
        "launches and time stamps take 40 % of the time, more than arithmetic (1.0 % at peak) "
        "or traffic (2.0 % at main memory bandwidth)");
    EXPECT_EQ(told(Bottleneck::kernel, 0.04),
              "neither arithmetic (1.0 % of the time at peak), traffic (2.0 % at main memory "
              "bandwidth) nor launches (4.0 %) explains the time of jit:avx512_core");
    step.launch = Seconds{0.4};
    EXPECT_EQ(told(Bottleneck::overhead, 0.4),
              "launches and waiting for the host take 40 % of the time, more than arithmetic (1.0 "
              "% at peak) or traffic (2.0 % at main memory bandwidth)");
}

TEST(Reason, StepsWithDifferentImplementationsNameNone) {
    const StepResult one = convolution_step("");
    StepResult other = one;
    other.implementation = "brgconv:avx512_core";
    const auto told = [](const StepResult& a, const StepResult& b) {
        StepEvidence evidence;
        add(evidence, a, bound_at(Bottleneck::overhead, 0.1), Seconds{1});
        add(evidence, b, bound_at(Bottleneck::overhead, 0.1), Seconds{2});
        return reason_for(evidence);
    };
    EXPECT_TRUE(told(one, one).ends_with("explains the time of jit:avx512_core"));
    EXPECT_TRUE(told(one, other).ends_with("explains the time"));
}

TEST(Reason, AReorderIsNotWork) {
    StepResult step = convolution_step("");
    step.kind = StepKind::reorder;
    step.layout = "nchw -> nChw16c";
    EXPECT_TRUE(mentions(reason(step, Bottleneck::memory, 0.9),
                         "only the layout changes (nchw -> nChw16c)"));
}

TEST(Reason, AProblemOfAnotherVersionOnlyLosesTheHint) {
    EXPECT_TRUE(mentions(reason(convolution_step("warp(1)"), Bottleneck::compute, 0.9), "90 %"));
}

TEST(Reason, SeveralStepsAreJudgedByTheirSum) {
    const StepResult step = convolution_step("");
    StepEvidence evidence;
    add(evidence, step, bound_at(Bottleneck::compute, 0.5), Seconds{1});
    add(evidence, step, bound_at(Bottleneck::compute, 0.1), Seconds{1});
    EXPECT_EQ(reason_for(evidence),
              "they are bound by arithmetic, but only at 30 % of the f32 peak");
}

}  // namespace
}  // namespace strata
