// SPDX-License-Identifier: MIT
#include "run/exit_code.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

strata::Run run_of(std::vector<Measurement> times, std::vector<Flag> flags = {}) {
    strata::Run run;
    for (Measurement& time : times) {
        run.steps.emplace_back().layer = "conv1";
        run.steps.back().time = std::move(time);
    }
    run.flags = std::move(flags);
    return run;
}

const Measurement measured = Samples{{{1.0}}};
const Measurement included = Included{"conv1 forward"};
const Measurement skipped = Skipped{"not here"};
const Measurement failed = Failed{"differs"};
const Flag imprecise = {"imprecise", "known to 3 %"};

ExitCode code_of(std::vector<strata::Run> runs) {
    return exit_code_of(runs);
}

TEST(ExitCodeOfRuns, ARunWithoutHolesIsDone) {
    EXPECT_EQ(code_of({run_of({measured, included})}), ExitCode::done);
    EXPECT_EQ(code_of({run_of({measured}, {imprecise})}), ExitCode::unstable);
}

TEST(ExitCodeOfRuns, AStepThatCouldNotRunIsNoSuccess) {
    EXPECT_EQ(code_of({run_of({measured, skipped})}), ExitCode::machine_cannot);
    EXPECT_EQ(code_of({run_of({skipped, skipped})}), ExitCode::machine_cannot);
}

TEST(ExitCodeOfRuns, AFailureWeighsMoreThanAStepThatCouldNotRun) {
    EXPECT_EQ(code_of({run_of({measured, skipped, failed})}), ExitCode::failed);
    EXPECT_EQ(code_of({run_of({measured}, {imprecise}), run_of({measured, skipped})}),
              ExitCode::machine_cannot);
    EXPECT_EQ(graver(ExitCode::unstable, ExitCode::failed), ExitCode::failed);
}

TEST(ExitCodeOfRuns, ASizeThatDoesNotFitIsAResultOfASweepThatHasOthers) {
    EXPECT_EQ(code_of({run_of({measured}), run_of({skipped, skipped})}), ExitCode::done);
    EXPECT_EQ(code_of({run_of({skipped}), run_of({skipped})}), ExitCode::machine_cannot);
}

}  // namespace
}  // namespace strata
