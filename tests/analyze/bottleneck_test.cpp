// SPDX-License-Identifier: MIT
#include "analyze/bottleneck.h"

#include "base/error.h"
#include "tests/support/scripted_run.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// 200 GFLOP/s; DRAM 20 GB/s, L3 80 GB/s and 32 MB, L2 400 GB/s and 4 MB.
StepBound bound(double flops, double bytes, double seconds, Pass pass = Pass::forward,
                std::string_view dtype = "f32") {
    StepResult step = testing::scripted_step("a", pass, {});
    step.flops = Flops{flops};
    step.read = Bytes{bytes / 2};
    step.written = Bytes{bytes / 2};
    return bound_of(step, Seconds{seconds}, testing::scripted_device(), dtype);
}

TEST(Bottleneck, ArithmeticBoundsStepsWithManyOperationsPerByte) {
    const StepBound found = bound(180e9, 1e9, 1);
    EXPECT_EQ(found.verdict, Bottleneck::compute);
    EXPECT_DOUBLE_EQ(*found.achieved, 0.9);
    EXPECT_DOUBLE_EQ(found.headroom->value, 0.1);
    EXPECT_EQ(found.ceiling, "f32 peak");
}

TEST(Bottleneck, MemoryBoundsStepsWithFewOperationsPerByte) {
    const StepBound found = bound(1e9, 18e9, 1);
    EXPECT_EQ(found.verdict, Bottleneck::memory);
    EXPECT_DOUBLE_EQ(*found.achieved, 0.9);
    EXPECT_EQ(found.ceiling, "DRAM bandwidth");
}

TEST(Bottleneck, AStepFasterThanMainMemoryWasServedByACache) {
    const StepBound found = bound(1e3, 20e6, 0.5e-3);  // 40 GB/s; 20 MB fit the L3
    EXPECT_EQ(found.verdict, Bottleneck::cache);
    EXPECT_EQ(found.ceiling, "L3 bandwidth");
    EXPECT_DOUBLE_EQ(*found.achieved, 0.5);
    EXPECT_DOUBLE_EQ(found.memory->value, 1e-3);
}

TEST(Bottleneck, TheNearestCacheThatHoldsTheTrafficBounds) {
    EXPECT_EQ(bound(1e3, 2e6, 1e-5).ceiling, "L2 bandwidth");
    EXPECT_EQ(bound(1e3, 900e6, 20e-3).ceiling, "L3 bandwidth");  // fits none: partly reused
}

TEST(Bottleneck, UnexplainedTimeIsOverhead) {
    EXPECT_EQ(bound(1e6, 1e6, 1).verdict, Bottleneck::overhead);
    EXPECT_EQ(bound(0, 0, 1).verdict, Bottleneck::overhead);
}

TEST(Bottleneck, TheThresholdIsAQuarterOfTheTime) {
    EXPECT_EQ(bound(50e9, 1e6, 1).verdict, Bottleneck::compute);
    EXPECT_EQ(bound(49e9, 1e6, 1).verdict, Bottleneck::overhead);
}

TEST(Bottleneck, UpdatesAreAlwaysJudgedInF32) {
    EXPECT_EQ(bound(180e9, 1e9, 1, Pass::update, "bf16").verdict, Bottleneck::compute);
    EXPECT_EQ(bound(180e9, 1e9, 1, Pass::forward, "bf16").verdict, Bottleneck::unknown);
}

// Products of tiles of 4x4 results execute a quarter of the multiply-adds, and the rates that are
// printed count them all.
TEST(Bottleneck, OfWinogradOnlyWhatItsProductsExecuteBounds) {
    StepResult step = testing::scripted_step("a", Pass::forward, {});
    step.operation = "convolution";
    step.problem = "convolution(8x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1";
    step.flops = Flops{400e9};
    step.read = step.written = Bytes{1e6};
    const auto found = [&](const char* algorithm) {
        step.algorithm = algorithm;
        return bound_of(step, Seconds{1}, testing::scripted_device(), "f32");
    };
    // 7 tiles of 4 rows fill 28.
    for (const char* name : {"winograd-4x4-3x3", "winograd-4x4-3x3, not fused further: a sum"}) {
        EXPECT_DOUBLE_EQ(*found(name).achieved, 0.5) << name;
        EXPECT_DOUBLE_EQ(found(name).by_definition->value, 2);
    }
    EXPECT_DOUBLE_EQ(*found("direct").achieved, 2) << "nothing explains that";
    for (const char* unknown :
         {"written by another version",
          "convolution(8x64x28x28, 64x64x3x3) out_channels=64 kernel=3x3 bias=false"}) {
        step.problem = unknown;
        EXPECT_FALSE(found("winograd-4x4-3x3").achieved) << unknown;
    }
}

// No share of a ceiling may be above 1 only because nobody tells how many operations ran.
TEST(Bottleneck, AConvolutionThatExecutesFewerOperationsThanNobodyKnowsHasNoCeiling) {
    StepResult step = testing::scripted_step("a", Pass::forward, {});
    step.operation = "convolution";
    step.flops = Flops{400e9};
    step.read = step.written = Bytes{1e6};
    const auto found = [&](const char* algorithm, double seconds) {
        step.algorithm = algorithm;
        return bound_of(step, Seconds{seconds}, testing::scripted_device(), "f32");
    };
    for (const char* untold : {"", "winograd", "fft, nondeterministic", "tensor cores"}) {
        const StepBound fast = found(untold, 1);
        EXPECT_EQ(fast.verdict, Bottleneck::unknown) << untold;
        EXPECT_TRUE(fast.executes_fewer);
        EXPECT_FALSE(fast.achieved);
        EXPECT_DOUBLE_EQ(fast.by_definition->value, 2);
        EXPECT_DOUBLE_EQ(*found(untold, 1.97).achieved, 2 / 1.97) << "within the uncertainty";
        EXPECT_DOUBLE_EQ(*found(untold, 4).achieved, 0.5);
    }
    step.operation = "matmul";
    EXPECT_DOUBLE_EQ(*found("", 1).achieved, 2) << "no library computes it with fewer";
}

// Of a GPU it is known what launches and time stamps take.
TEST(Bottleneck, OnAGpuASlowKernelIsNotOverhead) {
    StepResult step = testing::scripted_step("a", Pass::forward, {});
    step.flops = Flops{200e9};  // a second
    step.read = step.written = Bytes{1e6};
    const auto verdict = [&](double seconds, double fixed) {
        return bound_of(step, Seconds{seconds}, testing::scripted_device(), "f32", Seconds{fixed})
            .verdict;
    };
    EXPECT_EQ(verdict(5, 1e-6), Bottleneck::kernel);
    EXPECT_EQ(verdict(5, 1.2), Bottleneck::kernel) << "24 %";
    EXPECT_EQ(verdict(5, 1.3), Bottleneck::overhead);
    EXPECT_EQ(verdict(3, 1e-6), Bottleneck::compute);
    EXPECT_EQ(verdict(3, 0.9), Bottleneck::compute) << "arithmetic takes more";
    EXPECT_EQ(verdict(3, 1.1), Bottleneck::overhead);
}

TEST(Bottleneck, TheLaunchesOfAGpusStepAreThoseOfItsTracedKernels) {
    StepResult step = testing::scripted_step("a", Pass::forward, {Seconds{20e-6}, Seconds{20e-6}});
    strata::Run run = testing::run_of({step});
    run.device = testing::scripted_device();
    run.device->launch = Fact<Seconds>{Seconds{1e-6}, "scripted"};
    run.ran_on = DeviceKind::gpu;
    run.empty_step = Seconds{2e-6};
    EXPECT_DOUBLE_EQ(bounds_of(run)[0].fixed->value, 3e-6);
    EXPECT_EQ(bounds_of(run)[0].verdict, Bottleneck::kernel);
    run.trace = TraceResult{};
    run.trace->spans.assign(9, {.span = {.name = "k"}, .layer = "a", .pass = Pass::forward});
    EXPECT_DOUBLE_EQ(bounds_of(run)[0].fixed->value, 11e-6);
    EXPECT_EQ(bounds_of(run)[0].verdict, Bottleneck::overhead);
    run.ran_on = DeviceKind::cpu;
    EXPECT_FALSE(bounds_of(run)[0].fixed);
}

TEST(Bottleneck, WithoutCeilingsThereIsNoVerdict) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {Seconds{1}})});
    EXPECT_EQ(bounds_of(run)[0].verdict, Bottleneck::unknown);
    EXPECT_FALSE(bounds_of(run)[0].achieved);
}

TEST(Bottleneck, AnAliasHasNoCeiling) {
    StepResult step = testing::scripted_step("flatten", Pass::forward, {});
    step.implementation_kind = ImplementationKind::alias;
    step.read = step.written = Bytes{1e6};
    const StepBound found = bound_of(step, Seconds{1e-7}, testing::scripted_device(), "f32");
    EXPECT_EQ(found.verdict, Bottleneck::unknown);
    EXPECT_FALSE(found.achieved);
}

TEST(Bottleneck, WithoutATimeThereIsNoVerdict) {
    strata::Run run = testing::run_of({testing::scripted_step("a", Pass::forward, {})});
    run.steps[0].time = Skipped{"no kernel"};
    run.device = testing::scripted_device();
    EXPECT_EQ(bounds_of(run)[0].verdict, Bottleneck::unknown);
    EXPECT_EQ(bound(1, 1, 0).verdict, Bottleneck::unknown);
}

TEST(Bottleneck, TheRunIncludesItsCeilings) {
    const strata::Run run = testing::scripted_run(testing::zoo_graph("alexnet", 4));
    const auto bounds = bounds_of(run);
    EXPECT_EQ(run.steps[0].layer, "conv1");
    EXPECT_EQ(bounds[0].verdict, Bottleneck::compute);
    EXPECT_NEAR(*bounds[0].achieved, 0.87, 0.02);
}

TEST(Bottleneck, ARunInTf32IsJudgedByThePeakOfTf32) {
    Settings settings;
    EXPECT_EQ(arithmetic_of(settings), "f32");
    set_further(settings, "single_precision", "tf32");
    EXPECT_EQ(arithmetic_of(settings), "tf32");
    set_stored(settings, "dtype", "bf16");
    EXPECT_EQ(arithmetic_of(settings), "bf16");
}

TEST(Bottleneck, AStepThatWasNearlyAlwaysDelayedHasNoVerdict) {
    StepResult step = testing::scripted_step("a", Pass::forward, std::vector<Seconds>(8, {16e-3}));
    step.flops = Flops{1e6};
    step.read = Bytes{1e6};
    strata::Run run = testing::run_of({step});
    run.device = testing::scripted_device();
    run.device->threads = run.settings.threads();
    EXPECT_EQ(bounds_of(run)[0].verdict, Bottleneck::overhead);
    std::get<Samples>(run.steps[0].time).disturbed.assign(8, true);
    EXPECT_EQ(bounds_of(run)[0].verdict, Bottleneck::unknown);
    EXPECT_FALSE(bounds_of(run)[0].bound);
}

}  // namespace
}  // namespace strata
