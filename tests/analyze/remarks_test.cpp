// SPDX-License-Identifier: MIT
#include "analyze/remarks.h"

#include "analyze/advice.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

StepBound bound(Verdict verdict, double achieved) {
    StepBound found;
    found.verdict = verdict;
    found.ceiling = verdict == Verdict::compute ? "f32 peak" : "DRAM bandwidth";
    found.achieved = achieved;
    found.compute = Seconds{0.01};
    found.memory = Seconds{0.02};
    found.headroom = Seconds{1 - achieved};
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

std::string advice(const StepResult& step, Verdict verdict, double achieved) {
    return advice_on(step, bound(verdict, achieved), Seconds{1});
}

bool says(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

constexpr auto three_by_three =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr auto strided =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 stride=2x2 pad_begin=1x1 pad_end=1x1";
constexpr auto first_layer = "convolution(8x3x224x224) out_channels=64 kernel=7x7 stride=2x2";

TEST(Advice, WinogradIsNamedOnlyWhereItFits) {
    EXPECT_TRUE(says(advice(convolution_step(three_by_three), Verdict::compute, 0.9), "Winograd"));
    EXPECT_FALSE(says(advice(convolution_step(strided), Verdict::compute, 0.9), "Winograd"));
    StepResult already = convolution_step(three_by_three);
    already.algorithm = "winograd";
    EXPECT_FALSE(says(advice(already, Verdict::compute, 0.9), "Winograd"));
}

TEST(Advice, ASlowFirstLayerIsToldThatItsChannelsAreFew) {
    EXPECT_TRUE(says(advice(convolution_step(first_layer), Verdict::compute, 0.4),
                     "3 input channels leave vector lanes empty"));
    EXPECT_FALSE(
        says(advice(convolution_step(three_by_three), Verdict::compute, 0.4), "vector lanes"));
}

TEST(Advice, BeyondThePeakTheAlgorithmIsTheReason) {
    StepResult step = convolution_step(three_by_three);
    step.algorithm = "winograd";
    EXPECT_TRUE(says(advice(step, Verdict::compute, 1.4), "winograd algorithm does fewer"));
}

TEST(Advice, MemoryBoundStepsAreToldWhatSparesTraffic) {
    StepResult step = testing::scripted_step("a", Pass::forward, {Seconds{1}});
    step.operation = "relu";
    EXPECT_TRUE(says(advice(step, Verdict::memory, 0.9), "fuse it with its neighbour"));
    step.operation = "fully_connected";
    EXPECT_TRUE(says(advice(step, Verdict::memory, 0.9), "larger batch"));
    step.pass = Pass::update;
    EXPECT_TRUE(says(advice(step, Verdict::memory, 0.9), "what the optimizer keeps"));
}

TEST(Advice, ReferenceCodeIsNamedAsTheReason) {
    StepResult step = testing::scripted_step("a", Pass::forward, {Seconds{1}});
    step.implementation = "ref:any";
    EXPECT_TRUE(says(advice(step, Verdict::overhead, 0.1), "ref:any is code without optimisation"));
}

TEST(Advice, AReorderIsNotWork) {
    StepResult step = convolution_step("");
    step.kind = "reorder";
    step.layout = "nchw -> nChw16c";
    EXPECT_TRUE(says(advice(step, Verdict::memory, 0.9), "only changes the layout (nchw ->"));
}

TEST(Advice, AProblemOfAnotherVersionCostsAHintAndNoMore) {
    EXPECT_TRUE(says(advice(convolution_step("warp(1)"), Verdict::compute, 0.9), "90 %"));
}

TEST(Remarks, TheHeaviestComeFirstAndNotMoreThanAskedFor) {
    const strata::Run run =
        testing::run_of({testing::scripted_step("small", Pass::forward, {Seconds{1}}),
                         testing::scripted_step("large", Pass::update, {Seconds{3}})});
    const auto sentences = heaviest_steps(run, summarise(run), bounds_of(run), 1);
    ASSERT_EQ(sentences.size(), 1u);
    EXPECT_EQ(sentences[0], "large update takes 75 % of the step (3 s).");
}

TEST(Remarks, WhatCostsTheWholeRunIsCounted) {
    const strata::Run run = testing::scripted_run_with_holes("alexnet", 4);
    const auto remarks = general_remarks(run, summarise(run));
    const auto any = [&](std::string_view what) {
        return std::ranges::any_of(remarks, [&](const auto& text) { return says(text, what); });
    };
    EXPECT_TRUE(any("1 step of kind reorder takes"));
    EXPECT_TRUE(any("without an optimised kernel take"));
    EXPECT_FALSE(any("could not run")) << "that a run is incomplete is said first, and once";
}

TEST(Remarks, ADisturbedMachineIsBlamedBeforeTheKernels) {
    strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    EXPECT_FALSE(says(general_remarks(run, summarise(run)).front(), "disturbed"));
    run.flags = {{"preempted", "..."}, {"imprecise", "..."}};
    EXPECT_TRUE(says(general_remarks(run, summarise(run)).front(), "disturbed (preempted)"));
}

TEST(Remarks, MissingCeilingsAreSaidOnce) {
    const strata::Run run =
        testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}})});
    const auto remarks = general_remarks(run, summarise(run));
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_TRUE(says(remarks[0], "strata calibrate"));
}

TEST(Remarks, AnEmptyRunLeavesNothingToSay) {
    EXPECT_TRUE(heaviest_steps({}, summarise({}), {}).empty());
    EXPECT_TRUE(general_remarks({}, summarise({})).empty());
}

}  // namespace
}  // namespace strata
