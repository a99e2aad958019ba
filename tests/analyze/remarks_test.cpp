// SPDX-License-Identifier: MIT
#include "analyze/remarks.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

bool says(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
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

TEST(Remarks, TheClosingSentenceStatesTheTotalAtItsCeilings) {
    const strata::Run run = heavy_and_slow();
    const Reach all = reach_of(run, summarise(run), bounds_of(run));
    EXPECT_TRUE(says(closing_sentence(run, all), "the 1.21 s of all steps would be 905 ms (75 %)"))
        << closing_sentence(run, all);
    strata::Run bare = run;
    bare.device.reset();
    EXPECT_EQ(closing_sentence(bare, reach_of(bare, summarise(bare), bounds_of(bare))), "");
}

// What nobody can judge is not at its ceiling.
TEST(Remarks, TheClosingSentenceIsAboutTheStepsThatHaveACeiling) {
    const strata::Run run = heavy_and_slow();
    Reach all = reach_of(run, summarise(run), bounds_of(run));
    all.median += Seconds{9};
    all.unjudged += Seconds{9};
    EXPECT_TRUE(says(closing_sentence(run, all),
                     "the 1.21 s of the steps that have one would be 905 ms (75 %)"))
        << closing_sentence(run, all);
}

TEST(Remarks, CostsOfTheWholeRunAreCounted) {
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
    run.ran_on = DeviceKind::gpu;
    EXPECT_FALSE(says(general_remarks(run, summarise(run)).front(), "disturbed"))
        << "its iterations are launched at once and timed by its own clock";
    run.flags.push_back({DoubtKind::not_recorded, "..."});
    EXPECT_TRUE(says(general_remarks(run, summarise(run)).front(), "waited for launches"));
}

TEST(Remarks, TheSustainedRateIsMentionedIfTheClockWasHeldDown) {
    strata::Run run = heavy_and_slow();
    run.ran_on = DeviceKind::gpu;
    run.device->compute.front().sustained = Fact<FlopRate>{FlopRate{160e9}, "scripted"};
    const auto told = [&] {
        return std::ranges::any_of(general_remarks(run, summarise(run)), [](const auto& text) {
            return says(text, "keeps 80 % of the f32 peak");
        });
    };
    EXPECT_FALSE(told());
    run.flags = {{DoubtKind::throttled, "..."}};
    EXPECT_TRUE(told());
}

TEST(Remarks, MissingCeilingsAreMentionedOnce) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}})});
    const auto remarks = general_remarks(run, summarise(run));
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_TRUE(says(remarks[0], "strata calibrate"));
    run.ran_on = DeviceKind::gpu;
    run.settings.backend = "pytorch";  // which cannot measure its GPU's ceilings
    EXPECT_TRUE(says(general_remarks(run, summarise(run))[0], "`strata calibrate --backend cuda`"));
}

TEST(Remarks, AnEmptyRunLeavesNothingToSay) {
    EXPECT_TRUE(general_remarks({}, summarise({})).empty());
}

}  // namespace
}  // namespace strata
