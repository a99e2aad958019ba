// SPDX-License-Identifier: MIT
#include "predict/kernel_plan.h"

#include "base/error.h"
#include "op/problem.h"
#include "predict/ceilings.h"
#include "predict/simulated_pass.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

std::vector<KernelSimulation> simulated(const std::string& text, Pass pass,
                                        const SimulationOptions& options = {},
                                        const char* device = "gtx-1080-ti") {
    const Problem problem = parse_problem(text);
    const Execution execution;
    return simulate_pass({problem.op, signature_of(problem), pass, execution},
                         *model_of(find_description(device)), options);
}

constexpr SimulationOptions implicit{.convolution = PlannedConvolution::implicit_gemm};

double bytes(double sectors) {
    return 32 * sectors;
}

// The tensors of each pass once: traffic cannot be less, and if they all fit in the cache, it is
// not more than their sectors.
TEST(KernelPlan, DramTrafficIsAtLeastTheOperandsAndWithAHugeCacheAboutThem) {
    DeviceDescription device = find_description("gtx-1080-ti");
    change(device, "l2=256MiB");
    const auto model = model_of(device);
    const Execution execution;
    for (const char* text :
         {"conv:n2c16h20k32r3p1", "conv:n2c3h35k16r7u2p3", "conv:n2c32h14k32r3p1g4",
          "conv:n1c8h21k16r5d2p4", "fc:n64c512k256", "fc:n33c100k77"}) {
        const Problem problem = parse_problem(text);
        const Signature signature = signature_of(problem);
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            const Work work = work_of(problem.op, signature, pass);
            const auto kernels =
                simulate_pass({problem.op, signature, pass, execution}, *model, implicit);
            const KernelSimulation& product = kernels.front();
            const bool strided = product.runs > 1;
            const double read = bytes(product.traffic.dram_reads) / product.runs;
            // (One phase of a stride reads only a part of the window.)
            EXPECT_LE(read, 1.05 * work.read.value + 4096) << text << " " << name_of(pass);
            EXPECT_GE(read, (strided ? 0.2 : 0.85) * work.read.value)
                << text << " " << name_of(pass);
            if (kernels.size() == 1 && !strided) {
                EXPECT_GE(bytes(product.traffic.dram_writes), work.written.value - 4096);
                EXPECT_LE(bytes(product.traffic.dram_writes), 1.3 * work.written.value + 4096)
                    << text << " " << name_of(pass);
            }
        }
    }
}

// Even if the model's time is short because a launch hides it: 542 TB/s is no rate of a DRAM.
TEST(KernelPlan, NoRateExceedsTheCeilingOfItsLevel) {
    for (const char* device : {"v100", "gtx-1080-ti", "k40", "l4", "a100-40"}) {
        const Device ceilings = ceilings_of(find_description(device));
        for (const char* text : {"activation(1x8x4x4) kind=relu", "elementwise(64x1000, 64x1000)",
                                 "fc:n64c512k256", "conv:n2c16h20k32r3p1"}) {
            auto kernels = simulated(text, Pass::forward, {}, device);
            for (KernelSimulation& kernel : kernels) {
                kernel.time = Seconds{1e-12};
            }
            keep_within_ceilings(kernels, find_description(device));
            for (const KernelSimulation& kernel : kernels) {
                const double dram = bytes(kernel.traffic.dram_reads + kernel.traffic.dram_writes) /
                                    kernel.time.value;
                const double l2 = bytes(kernel.traffic.l2.sectors.accesses()) / kernel.time.value;
                EXPECT_GT(dram, 0);
                EXPECT_LE(dram, 1.0001 * ceilings.memory.back().bandwidth.value.value) << text;
                EXPECT_LE(l2, 1.0001 * ceilings.memory.front().bandwidth.value.value) << text;
            }
        }
    }
}

// One kernel has one time: what `strata predict` says, without launches.
TEST(KernelPlan, SimulatedKernelsHaveThePredictedTime) {
    const Execution execution;
    for (const char* device : {"v100", "gtx-1080-ti", "a100-40"}) {
        const auto model = model_of(find_description(device));
        for (const char* text : {"fc:n4096c4096k4096", "conv:n64c256h28k256r3p1",
                                 "conv:n64c256h28k256r3u2p1", "elementwise(4096x16384, 4096x16384)",
                                 "attention(8x512x1024, 8x512x1024, 8x512x1024) heads=16"}) {
            const Problem problem = parse_problem(text);
            const Signature signature = signature_of(problem);
            const LayerTask task{problem.op, signature, Pass::forward, execution};
            Seconds predicted, simulated;
            const LayerPrediction prediction = model->predict(task);
            for (const KernelPrediction& kernel : std::get<Kernels>(prediction)) {
                predicted += kernel.on_device();
            }
            for (const KernelSimulation& kernel :
                 simulate_pass(task, *model, {.most_accesses = 10'000})) {
                simulated += kernel.time;
            }
            EXPECT_NEAR(simulated / predicted, 1, 1e-9) << device << " " << text;
        }
    }
}

TEST(KernelPlan, StreamsMoveTheirOperandsOnce) {
    for (const char* text : {"activation(8x32x28x28) kind=relu", "elementwise(64x1000, 64x1000)",
                             "batch_normalization(8x32x28x28)", "softmax(64x1000)"}) {
        const Problem problem = parse_problem(text);
        const Signature signature = signature_of(problem);
        for (const Pass pass : {Pass::forward, Pass::backward_data}) {
            if (!has_pass(problem.op, signature, pass)) {
                continue;
            }
            DeviceDescription device = find_description("gtx-1080-ti");
            change(device, "l2=256MiB");
            const Execution execution;
            const auto kernels =
                simulate_pass({problem.op, signature, pass, execution}, *model_of(device), {});
            ASSERT_EQ(kernels.size(), 1U);
            const Work work = work_of(problem.op, signature, pass);
            EXPECT_NEAR(bytes(kernels[0].traffic.dram_reads), work.read.value,
                        0.02 * work.read.value + 512)
                << text << " " << name_of(pass);
            EXPECT_NEAR(bytes(kernels[0].traffic.dram_writes), work.written.value,
                        0.02 * work.written.value + 512)
                << text << " " << name_of(pass);
        }
    }
}

TEST(KernelPlan, PoolingAndNormalisationAcrossChannelsReadWindowsOfTheirImage) {
    const auto pooling = simulated("pooling(8x32x27x27) kernel=3x3 stride=2x2", Pass::forward);
    ASSERT_EQ(pooling.size(), 1U);
    EXPECT_GT(pooling[0].traffic.l1->sectors.reads, 2 * pooling[0].traffic.dram_reads);
    EXPECT_NEAR(bytes(pooling[0].traffic.dram_reads), 8 * 32 * 27 * 27 * 4, 4096);
    const auto lrn = simulated("lrn(8x32x27x27) size=5", Pass::forward);
    EXPECT_NEAR(bytes(lrn[0].traffic.dram_reads), 8 * 32 * 27 * 27 * 4, 4096);
    EXPECT_NEAR(lrn[0].traffic.l1->sectors.reads / lrn[0].traffic.dram_reads, 5, 0.4);
}

TEST(KernelPlan, WinogradMultipliesTransformsOfImagesAndWeights) {
    const SimulationOptions options{.convolution = PlannedConvolution::winograd};
    const auto found = simulated("conv:n4c32h28k64r3p1", Pass::forward, options);
    ASSERT_GE(found.size(), 4U);
    // 36 elements of 7 x 7 tiles per plane.
    EXPECT_NEAR(bytes(found[0].traffic.dram_writes), 36.0 * 4 * 32 * 49 * 4, 4096);
    const auto direct = simulated("conv:n4c32h28k64r3p1", Pass::forward, implicit);
    const auto strided = simulated("conv:n4c32h28k64r3u2p1", Pass::forward, options);
    EXPECT_EQ(direct.size(), 1U);
    EXPECT_EQ(strided.size(), 1U);  // not supported
    Instructions winograd;
    for (const KernelSimulation& kernel : found) {
        winograd += kernel.instructions;
    }
    EXPECT_LT(winograd.multiply_adds, direct[0].instructions.multiply_adds);
}

// 2 m n k operations and the padding of tiles, 32 in each instruction.
TEST(KernelPlan, AProductHasAsManyMultiplyAddsAsItsTilesNeed) {
    const auto found = simulated("fc:n1024c512k2048", Pass::forward);
    const double least = 1024.0 * 512 * 2048 / 32;
    EXPECT_GE(found[0].instructions.multiply_adds, least);
    EXPECT_LE(found[0].instructions.multiply_adds, 1.02 * least);
    EXPECT_LT(found[0].instructions.loads_and_stores(), 0.2 * found[0].instructions.total());
}

// Its result is the other's image, so their traffic is the same with passes exchanged.
TEST(KernelPlan, ATransposedConvolutionIsAnotherOnesGradient) {
    const auto own = simulated(
        "transposed_convolution(2x32x7x7) out_channels=16 kernel=4x4 "
        "stride=2x2 pad_begin=1x1 pad_end=1x1",
        Pass::forward);
    const auto other = simulated(
        "convolution(2x16x14x14) out_channels=32 kernel=4x4 stride=2x2 "
        "pad_begin=1x1 pad_end=1x1",
        Pass::backward_data);
    ASSERT_EQ(own.size(), other.size());
    EXPECT_EQ(own[0].runs, 4);
    EXPECT_EQ(own[0].traffic.l2.sectors.reads, other[0].traffic.l2.sectors.reads);
    EXPECT_EQ(own[0].traffic.dram_writes, other[0].traffic.dram_writes);
}

// Weights that fit in the second-level cache come from memory once, for any number of steps.
TEST(KernelPlan, TheStepsOfARecurrentLayerShareItsWeights) {
    constexpr double steps = 8, batch = 64, hidden = 256, gates = 4;
    const auto found = simulated("recurrent(8x64x256) hidden=256 cell=lstm", Pass::forward);
    ASSERT_EQ(found.size(), 3U);  // all inputs, the steps, and the cells' operations
    const SimulatedKernel& traffic = found[1].traffic;
    const double weights = gates * hidden * hidden * 4;
    const double states = steps * batch * hidden * 4;
    EXPECT_NEAR(bytes(traffic.dram_reads), weights + states, 0.1 * (weights + states));
    EXPECT_GT(bytes(traffic.l2.sectors.reads), steps * weights);
    EXPECT_NEAR(found[1].instructions.multiply_adds, steps * batch * hidden * gates * hidden / 32,
                0.1 * steps * batch * hidden * gates * hidden / 32);
    EXPECT_TRUE(
        simulated("recurrent(8x64x256) hidden=256 cell=lstm", Pass::backward_weights).size() >= 2);
}

TEST(KernelPlan, KeplerBypassesTheFirstLevelUnlessToldOtherwise) {
    const auto usual = simulated("conv:n4c64h14k64r3p1", Pass::forward, {}, "k40");
    const auto cached =
        simulated("conv:n4c64h14k64r3p1", Pass::forward, {.bypass_l1 = false}, "k40");
    EXPECT_FALSE(usual[0].traffic.l1.has_value());
    EXPECT_GT(usual[0].traffic.l2.sectors.reads, cached[0].traffic.l2.sectors.reads);
}

TEST(KernelPlan, WhatIsNotKnownIsRefusedWithAReason) {
    EXPECT_THROW(simulated("conv:n1c8h8k8r3", Pass::forward, {}, "tpu-v2"), Error);
    DeviceDescription absurd = find_description("v100");
    change(absurd, "processors=1000000");
    const Problem relu = parse_problem("activation(1x8) kind=relu");
    const Execution execution;
    EXPECT_THROW(simulate_pass({relu.op, signature_of(relu), Pass::forward, execution},
                               *model_of(absurd), {}),
                 Error);
    EXPECT_THROW(simulated("conv:n1c8d8h8k8r3", Pass::forward), Error);
}

}  // namespace

}  // namespace strata::testing
