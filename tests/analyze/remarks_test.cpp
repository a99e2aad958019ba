// SPDX-License-Identifier: MIT
#include "analyze/remarks.h"

#include "analyze/advice.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

StepBound bound_at(Bottleneck verdict, double achieved) {
    StepBound found;
    found.verdict = verdict;
    found.ceiling = verdict == Bottleneck::compute ? "f32 peak" : "DRAM bandwidth";
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

std::string advice(const StepResult& step, Bottleneck verdict, double achieved) {
    return advice_on(step, bound_at(verdict, achieved), Seconds{1});
}

bool says(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

constexpr auto padded_three_by_three =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
constexpr auto padded_strided =
    "convolution(8x64x28x28) out_channels=64 kernel=3x3 stride=2x2 pad_begin=1x1 pad_end=1x1";
constexpr auto first_layer = "convolution(8x3x224x224) out_channels=64 kernel=7x7 stride=2x2";

TEST(Advice, WinogradIsNamedOnlyWhereItFits) {
    EXPECT_TRUE(says(advice(convolution_step(padded_three_by_three), Bottleneck::compute, 0.9),
                     "Winograd"));
    EXPECT_FALSE(
        says(advice(convolution_step(padded_strided), Bottleneck::compute, 0.9), "Winograd"));
    StepResult already = convolution_step(padded_three_by_three);
    already.algorithm = "winograd";
    EXPECT_FALSE(says(advice(already, Bottleneck::compute, 0.9), "Winograd"));
}

TEST(Advice, ASlowFirstLayerIsToldThatItsChannelsAreFew) {
    EXPECT_TRUE(says(advice(convolution_step(first_layer), Bottleneck::compute, 0.4),
                     "3 input channels leave vector lanes empty"));
    EXPECT_FALSE(says(advice(convolution_step(padded_three_by_three), Bottleneck::compute, 0.4),
                      "vector lanes"));
}

TEST(Advice, BeyondThePeakTheAlgorithmIsTheReason) {
    StepResult step = convolution_step(padded_three_by_three);
    step.algorithm = "winograd";
    EXPECT_TRUE(says(advice(step, Bottleneck::compute, 1.4), "winograd algorithm does fewer"));
}

TEST(Advice, MemoryBoundStepsAreToldWhatSparesTraffic) {
    StepResult step = testing::scripted_step("a", Pass::forward, {Seconds{1}});
    step.operation = "relu";
    EXPECT_TRUE(says(advice(step, Bottleneck::memory, 0.9), "fuse it with its neighbour"));
    step.operation = "fully_connected";
    EXPECT_TRUE(says(advice(step, Bottleneck::memory, 0.9), "larger batch"));
    step.pass = Pass::update;
    EXPECT_TRUE(says(advice(step, Bottleneck::memory, 0.9), "optimizer state"));
}

TEST(Advice, ReferenceCodeIsNamedAsTheReason) {
    StepResult step = testing::scripted_step("a", Pass::forward, {Seconds{1}});
    step.implementation = "ref:any";
    EXPECT_TRUE(says(advice(step, Bottleneck::overhead, 0.1), "ref:any is unoptimised code"));
}

TEST(Advice, AReorderIsNotWork) {
    StepResult step = convolution_step("");
    step.kind = StepKind::reorder;
    step.layout = "nchw -> nChw16c";
    EXPECT_TRUE(says(advice(step, Bottleneck::memory, 0.9), "only changes the layout (nchw ->"));
}

TEST(Advice, AProblemOfAnotherVersionCostsAHintAndNoMore) {
    EXPECT_TRUE(says(advice(convolution_step("warp(1)"), Bottleneck::compute, 0.9), "90 %"));
}

TEST(Remarks, TheHeaviestComeFirstAndNotMoreThanRequested) {
    const strata::Run run =
        testing::run_of({testing::scripted_step("small", Pass::forward, {Seconds{1}}),
                         testing::scripted_step("large", Pass::update, {Seconds{3}})});
    const auto found = findings_on(run, summarise(run), bounds_of(run), 1);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].sentence, "large update takes 75 % of the step (3 s).");
    EXPECT_FALSE(found[0].gain);
}

// A fast step at 90 % of its ceiling, and a short one far from it.
strata::Run heavy_and_slow() {
    StepResult heavy = testing::scripted_step("heavy", Pass::forward, {Seconds{1}, Seconds{1.01}});
    heavy.flops = Flops{180e9};
    StepResult slow = testing::scripted_step("slow", Pass::forward, {Seconds{0.2}, Seconds{0.21}});
    slow.flops = Flops{1e9};
    strata::Run run = testing::run_of({heavy, slow});
    run.device = testing::scripted_device();
    run.settings.execution.scheduling.threads = 2;
    return run;
}

TEST(Remarks, WhatCouldBeWonComesBeforeWhatIsHeavy) {
    const strata::Run run = heavy_and_slow();
    const auto found = findings_on(run, summarise(run), bounds_of(run));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].layer, "slow");
    EXPECT_TRUE(says(found[0].sentence,
                     "slow forward takes 205 ms and could save at most 200 ± 5 ms, 17 % of "
                     "the step: "))
        << found[0].sentence;
    EXPECT_NEAR(found[0].gain->value, 0.2, 1e-9);
}

TEST(Remarks, AGainWithinTheNoiseGivesNoAdvice) {
    strata::Run run = heavy_and_slow();
    std::get<Samples>(run.steps[0].time).values = {Seconds{0.8}, Seconds{1}, Seconds{1.3}};
    const auto found = findings_on(run, summarise(run), bounds_of(run));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].layer, "slow");
}

TEST(Remarks, ASingleSampleIsSaidToBeOne) {
    strata::Run run = heavy_and_slow();
    std::get<Samples>(run.steps[1].time).values = {Seconds{0.2}};
    const auto found = findings_on(run, summarise(run), bounds_of(run));
    EXPECT_TRUE(says(found[0].sentence,
                     "takes 200 ms (a single sample) and could save at most "
                     "195 ms, "))
        << found[0].sentence;
}

TEST(Remarks, TheClosingSentenceHasTheWholeAtItsCeilings) {
    const strata::Run run = heavy_and_slow();
    const auto gains = gains_of(run, summarise(run), bounds_of(run));
    EXPECT_TRUE(
        says(closing_sentence(run, gains), "the 1.21 s of all steps would be 905 ms (75 %)"))
        << closing_sentence(run, gains);
    strata::Run bare = run;
    bare.device.reset();
    EXPECT_EQ(closing_sentence(bare, gains_of(bare, summarise(bare), bounds_of(bare))), "");
}

TEST(Remarks, StepsAtTheirCeilingAreReportedTogether) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 16));
    const auto found = findings_at_ceilings(run, summarise(run), bounds_of(run));
    ASSERT_FALSE(found.empty());
    EXPECT_TRUE(says(found[0].sentence, " steps run at 75 % of the f32 peak or more and take "));
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
    run.flags = {{DoubtKind::preempted, "..."}, {DoubtKind::imprecise, "..."}};
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
    EXPECT_TRUE(findings_on({}, summarise({}), {}).empty());
    EXPECT_TRUE(general_remarks({}, summarise({})).empty());
}

}  // namespace
}  // namespace strata
