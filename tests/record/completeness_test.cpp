// SPDX-License-Identifier: MIT
#include "record/completeness.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

strata::Run run_of(std::vector<Measurement> times) {
    strata::Run run;
    for (Measurement& time : times) {
        run.steps.emplace_back().layer = "conv1";
        run.steps.back().time = std::move(time);
    }
    return run;
}

const Measurement measured = Samples{{{1.0}}};

TEST(Completeness, ARunWhoseStepsAreAllMeasuredOrFusedIsComplete) {
    const strata::Run run = run_of({measured, Included{"conv1 forward"}});
    EXPECT_FALSE(is_incomplete(run));
    EXPECT_EQ(progress_of(run), "complete");
    EXPECT_EQ(incompleteness_sentence(run), "");
}

TEST(Completeness, ASkippedOrFailedStepMakesItIncomplete) {
    for (const Measurement& hole : {Measurement(Skipped{"not here"}), Measurement(Failed{"odd"})}) {
        const strata::Run run = run_of({measured, hole});
        EXPECT_TRUE(is_incomplete(run));
        EXPECT_EQ(progress_of(run), "incomplete");
    }
}

TEST(Completeness, AnInterruptedRunIsPartialWhateverItLacks) {
    strata::Run run = run_of({measured, Skipped{"not here"}});
    run.state = RunState::partial;
    EXPECT_EQ(progress_of(run), "partial");
    EXPECT_TRUE(is_incomplete(run));
}

TEST(Completeness, TheSentenceCountsTheMissingStepsAndGivesTheFirstReason) {
    EXPECT_EQ(holes_text(run_of({measured, Skipped{"no bf16"}, Skipped{"nor this"}})),
              "2 of 3 steps could not run here (conv1 forward: no bf16)");
    EXPECT_EQ(holes_text(run_of({Failed{"wrong"}})), "1 of 1 step failed (conv1 forward: wrong)");
    EXPECT_EQ(holes_text(run_of({measured, Skipped{"no bf16"}, Failed{"wrong"}})),
              "1 of 3 steps could not run here and 1 failed (conv1 forward: no bf16)");
}

}  // namespace
}  // namespace strata
