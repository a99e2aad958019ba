// SPDX-License-Identifier: MIT
#include "analyze/sweep.h"

#include "analyze/varied.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

using Runs = std::vector<Run>;

// A run of one step that takes the given time, with samples within 1 % of it.
Run run_with(std::string network, std::int64_t batch, double seconds, double flops = 1e9) {
    Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{seconds}})});
    run.settings.network = std::move(network);
    run.settings.batch = batch;
    run.steps[0].flops = Flops{flops};
    for (int i = -10; i <= 10; ++i) {
        run.whole.end_to_end.values.push_back(Seconds{seconds * (1 + 0.001 * i)});
    }
    return run;
}

Run refused(std::int64_t batch, const std::string& why) {
    Run run = run_with("alexnet", batch, 1);
    run.steps[0].time = Skipped{why};
    run.whole = {};
    return run;
}

TEST(Varied, SeveralNumbersMakeAGridSlowestFirst) {
    Runs runs;
    for (const char* hidden : {"64", "128"}) {
        for (const std::int64_t batch : {1, 8, 16}) {
            runs.push_back(run_with(std::string("lstm:hidden=") + hidden, batch, 1));
        }
    }
    EXPECT_FALSE(varied_among(runs));
    const auto grid = grid_among(runs);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->names, (std::vector<std::string>{"hidden", "batch"}));
    EXPECT_EQ(grid->values[4], (std::vector<std::int64_t>{128, 8}));
    runs.push_back(runs.front());
    EXPECT_FALSE(grid_among(runs)) << "the same twice";
    EXPECT_FALSE(grid_among(Runs{run_with("alexnet", 1, 1), run_with("vgg-16", 2, 1)}));
    EXPECT_FALSE(grid_among(Runs{run_with("alexnet", 1, 1), run_with("alexnet", 2, 1)}));
}

TEST(Varied, TheOneNumberInWhichRunsDifferIsFoundInTheirSettings) {
    const Runs batches = {run_with("alexnet", 1, 1), run_with("alexnet", 8, 2)};
    EXPECT_EQ(varied_among(batches)->name, "batch");
    EXPECT_EQ(varied_among(batches)->values, (std::vector<std::int64_t>{1, 8}));
    const Runs generated = {run_with("lstm:layers=2,hidden=64", 20, 1),
                            run_with("lstm:layers=2,hidden=128", 20, 2)};
    EXPECT_EQ(varied_among(generated)->name, "hidden");
    Runs dims = {run_with("m.onnx", 1, 1), run_with("m.onnx", 1, 1)};
    set_further(dims[0].settings, "dim sequence", "8");
    set_further(dims[1].settings, "dim sequence", "16");
    EXPECT_EQ(varied_among(dims)->name, "sequence");
    EXPECT_EQ(varied_among(dims)->values.back(), 16);
}

TEST(Varied, ABatchThatFollowsAnotherValueDoesNotCount) {
    const Runs runs = {run_with("fully_connected(8x4) out_features=4", 8, 1),
                       run_with("fully_connected(8x4) out_features=8", 16, 1)};
    EXPECT_EQ(varied_among(runs)->name, "out_features");
}

TEST(Varied, RunsThatDifferInSeveralSettingsOrWordsOrNotAtAllAreNotASweep) {
    const auto varied = [](strata::Run first, strata::Run second) {
        const Runs runs = {std::move(first), std::move(second)};
        return varied_among(runs).has_value();
    };
    EXPECT_FALSE(varied(run_with("alexnet", 1, 1), run_with("vgg-16", 1, 1)));
    EXPECT_FALSE(varied(run_with("alexnet", 1, 1), run_with("alexnet", 1, 2)));
    EXPECT_FALSE(varied(run_with("fc:a=1,b=1", 1, 1), run_with("fc:a=2,b=2", 1, 2)));
    strata::Run other = run_with("alexnet", 8, 1);
    set_stored(other.settings, "dtype", "bf16");
    EXPECT_FALSE(varied(run_with("alexnet", 1, 1), other));
}

TEST(Sweep, IsInTheOrderOfItsValues) {
    const Runs runs = {run_with("alexnet", 8, 3), run_with("alexnet", 2, 1)};
    const Sweep sweep = sweep_of(runs).value();
    EXPECT_EQ(sweep.points[0].value, 2);
    EXPECT_EQ(sweep.points[0].run, &runs[1]);
    EXPECT_EQ(sweep.points[1].time->median, Seconds{3});
}

TEST(Sweep, APointThatDidNotRunHasItsReason) {
    const Runs runs = {run_with("alexnet", 1, 1), refused(512, "too large")};
    const Sweep sweep = sweep_of(runs).value();
    EXPECT_FALSE(sweep.points[1].time.has_value());
    EXPECT_EQ(sweep.points[1].reason, "too large");
    EXPECT_EQ(sweep.points[1].flops, Flops{0});
}

TEST(Sweep, AnIncompleteRunGivesNoPoint) {
    Runs runs = {run_with("alexnet", 1, 1), run_with("alexnet", 8, 2)};
    StepResult hole = testing::scripted_step("b", Pass::forward, {});
    hole.time = Skipped{"no kernel"};
    runs[1].steps.push_back(hole);
    const Sweep sweep = sweep_of(runs).value();
    EXPECT_FALSE(sweep.points[1].time.has_value());
    EXPECT_EQ(sweep.points[1].reason,
              "incomplete: 1 of 2 steps could not run here (b forward: no kernel)");
}

// A machine of 100 GFLOP/s and a framework that takes 2 ms.
Runs linear_runs() {
    Runs runs;
    for (std::int64_t hidden = 64; hidden <= 1024; hidden *= 2) {
        const double flops = 1e4 * static_cast<double>(hidden * hidden);
        runs.push_back(
            run_with("lstm:hidden=" + std::to_string(hidden), 20, 2e-3 + flops / 100e9, flops));
    }
    return runs;
}

TEST(Extrapolation, TheSlopeIsTheHardwareAndTheInterceptTheFramework) {
    const auto runs = linear_runs();
    const Extrapolation found = extrapolate(sweep_of(runs).value()).value();
    EXPECT_NEAR(found.hardware->value, 100e9, 1e3);
    EXPECT_NEAR(found.framework.value, 2e-3, 1e-9);
    EXPECT_NEAR(found.half_rate_work->value, 0.2e9, 1e3);
    EXPECT_EQ(found.misfit, "");
    EXPECT_TRUE(found.hardware_interval.has_value());
}

TEST(Extrapolation, LeavesOutPointsThatDidNotRunAndNeedsThree) {
    auto runs = linear_runs();
    runs[1].whole = {};
    EXPECT_EQ(extrapolate(sweep_of(runs).value())->points, (std::vector<std::size_t>{0, 2, 3, 4}));
    runs[2].whole = {};
    runs[3].whole = {};
    EXPECT_FALSE(extrapolate(sweep_of(runs).value()).has_value());
}

TEST(Extrapolation, ALineThatDoesNotFitIsMarked) {
    auto runs = linear_runs();
    for (Seconds& value : runs[2].whole.end_to_end.values) {
        value *= 3;
    }
    EXPECT_NE(extrapolate(sweep_of(runs).value())->misfit, "");
}

TEST(Extrapolation, ANegativeInterceptIsNotAFrameworksTime) {
    Runs runs;
    for (const double size : {1, 2, 3, 4, 5}) {
        runs.push_back(run_with("lstm:hidden=" + std::to_string(static_cast<int>(size)), 20,
                                1e-2 * size - 2e-3, 1e9 * size));
    }
    EXPECT_NE(extrapolate(sweep_of(runs).value())->misfit.find("intercept is negative"),
              std::string::npos);
}

Runs batches(const std::vector<double>& seconds) {
    Runs runs;
    std::int64_t batch = 1;
    for (const double time : seconds) {
        runs.push_back(run_with("alexnet", batch, time));
        batch *= 2;
    }
    return runs;
}

TEST(Saturation, IsTheSmallestBatchNearTheBestThroughput) {
    const auto runs =
        batches({1, 1.2, 1.6, 3, 6.0, 12.1});  // 1, 1.67, 2.5, 2.67, 2.67, 2.64 a second
    const Saturation found = saturation_of(sweep_of(runs).value()).value();
    EXPECT_EQ(found.batch, 8);
    EXPECT_LE(found.earliest, found.batch);
    EXPECT_GE(found.latest, found.batch);
    EXPECT_TRUE(found.reached);
}

TEST(Saturation, IsNotReachedIfTheLargestBatchIsStillTheBest) {
    const auto runs = batches({1, 1.1, 1.2, 1.3});
    EXPECT_FALSE(saturation_of(sweep_of(runs).value())->reached);
}

// The second reaches 94.9 % by its median, but its interval goes beyond 95 %.
TEST(Saturation, AnUncertainSaturationIsReported) {
    const auto runs = batches({1.0, 2.0 / (0.949 * 4), 1.0});
    const Saturation found = saturation_of(sweep_of(runs).value()).value();
    EXPECT_EQ(found.batch, 4);
    EXPECT_EQ(found.earliest, 2);
}

TEST(Saturation, IsNothingForAnotherVariable) {
    const auto runs = linear_runs();
    EXPECT_FALSE(saturation_of(sweep_of(runs).value()).has_value());
}

}  // namespace
}  // namespace strata
