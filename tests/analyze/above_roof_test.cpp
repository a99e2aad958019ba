// SPDX-License-Identifier: MIT
#include "analyze/above_roof.h"

#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// 200 GFLOP/s; DRAM 20 GB/s, L3 80 GB/s and 32 MB, L2 400 GB/s and 4 MB.
StepResult step(double flops, double bytes, double seconds) {
    StepResult made =
        testing::scripted_step("a", Pass::forward, std::vector<Seconds>(10, Seconds{seconds}));
    made.operation = "matmul";
    made.flops = Flops{flops};
    made.read = Bytes{bytes / 2};
    made.written = Bytes{bytes / 2};
    return made;
}

strata::Run measured(StepResult one) {
    strata::Run run = testing::run_of({std::move(one)});
    run.device = testing::scripted_device();
    run.device->threads = run.settings.threads();
    return run;
}

StepResult convolution(const char* algorithm) {
    StepResult made = step(260e9, 1e6, 1);
    made.operation = "convolution";
    made.algorithm = algorithm;
    return made;
}

AboveRoof reason_of(const StepResult& one) {
    const auto found = roof_excesses(measured(one));
    EXPECT_FALSE(found.empty());
    return found.empty() ? AboveRoof::unexplained : found.front().reason;
}

TEST(AboveRoof, AStepBelowItsCeilingsExceedsNone) {
    EXPECT_TRUE(roof_excesses(measured(step(205e9, 1e6, 1))).empty()) << "within 3 %";
    EXPECT_FALSE(stale_ceilings_doubt(measured(step(150e9, 1e9, 1))));
}

TEST(AboveRoof, WinogradExplainsARateAboveThePeak) {
    EXPECT_EQ(reason_of(convolution("winograd-4x4-3x3")), AboveRoof::saves_arithmetic);
    EXPECT_EQ(reason_of(convolution("fft-tiled")), AboveRoof::saves_arithmetic);
    EXPECT_FALSE(stale_ceilings_doubt(measured(convolution("winograd"))));
    EXPECT_EQ(roof_sentences(measured(convolution("winograd"))).at(0),
              "a forward is above the f32 peak: Winograd and FFT execute fewer operations than are "
              "counted.");
}

TEST(AboveRoof, AnUnnamedAlgorithmMayBeWinograd) {
    EXPECT_EQ(reason_of(convolution("")), AboveRoof::may_save_arithmetic);
    EXPECT_FALSE(stale_ceilings_doubt(measured(convolution("auto"))));
}

TEST(AboveRoof, AProductAboveThePeakMakesTheCalibrationStale) {
    EXPECT_EQ(reason_of(convolution("direct")), AboveRoof::unexplained);
    const auto doubt = stale_ceilings_doubt(measured(step(210e9, 1e6, 1)));
    ASSERT_TRUE(doubt);
    EXPECT_EQ(doubt->kind, DoubtKind::stale_ceilings);
    EXPECT_EQ(doubt->sentence.find("a forward is 5 % above the f32 peak"), 0u);
    EXPECT_NE(doubt->sentence.find("run `strata calibrate --threads "), std::string::npos);
}

TEST(AboveRoof, CachesExplainTrafficThatFits) {
    EXPECT_EQ(reason_of(step(1e3, 20e6, 0.5e-3)), AboveRoof::served_by_caches);
    EXPECT_EQ(reason_of(step(1e3, 100e6, 4e-3)), AboveRoof::served_by_caches)
        << "36 MB more than twice the L3 take 1.8 ms at 20 GB/s";
}

TEST(AboveRoof, TrafficThatNoCacheHoldsMakesTheCalibrationStale) {
    const auto run = measured(step(1e3, 4e9, 0.138));  // 29 GB/s of main memory: 60.8 and 88.3
    EXPECT_EQ(roof_excesses(run).front().reason, AboveRoof::unexplained);
    const auto doubt = stale_ceilings_doubt(run);
    ASSERT_TRUE(doubt);
    EXPECT_EQ(doubt->sentence.find("a forward is 45 % above the DRAM bandwidth"), 0u);
}

TEST(AboveRoof, AnExcessWithinTheTimesUncertaintyIsIgnored) {
    StepResult noisy = step(206.5e9, 1e6, 1);
    auto& values = std::get<Samples>(noisy.time).values;
    values[0] = values[1] = values[2] = Seconds{1.1};
    EXPECT_FALSE(stale_ceilings_doubt(measured(noisy)));
}

TEST(AboveRoof, DelayedSamplesAreNotComparedWithARoof) {
    StepResult delayed = step(260e9, 1e6, 1);
    std::get<Samples>(delayed.time).disturbed.assign(10, true);
    EXPECT_TRUE(roof_excesses(measured(delayed)).empty());
}

TEST(AboveRoof, UnreproducedCeilingsAreDoubtedInEachRun) {
    auto run = measured(step(100e9, 1e6, 1));
    EXPECT_FALSE(doubtful_ceilings_doubt(run));
    run.device->memory.back().bandwidth.is_doubtful = true;
    const auto doubt = doubtful_ceilings_doubt(run);
    ASSERT_TRUE(doubt);
    EXPECT_EQ(doubt->kind, DoubtKind::doubtful_ceilings);
    EXPECT_NE(doubt->sentence.find("DRAM bandwidth"), std::string::npos);
}

}  // namespace
}  // namespace strata
