// SPDX-License-Identifier: MIT
#include "predict/gemm.h"

#include "predict/gpu_rates.h"
#include "predict/padding.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

namespace strata::testing {

namespace {

DeviceDescription v100() {
    return find_description("v100");
}

constexpr GemmProblem square{.m = 4096, .n = 4096, .k = 4096};

GemmPrediction predict(const GemmProblem& problem, const DeviceDescription& device,
                       const GemmKernel& kernel = {}) {
    return predict_gemm(problem, kernel, device, prior_gemm_rates(device));
}

TEST(Gemm, AKernelsNameTellsItsTile) {
    const auto kernel = kernel_named("volta_sgemm_128x64_tn", 128);
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->tile_n, 128);
    EXPECT_EQ(kernel->tile_m, 64);
    EXPECT_EQ(kernel->warps, 4);
    EXPECT_EQ(kernel_named("sgemm_32x32x32_NN", 64)->tile_m, 32);
    EXPECT_EQ(kernel_named("ampere_sgemm_64x32_sliced1x4_tn", 256)->tile_n, 64);
    const auto hopper = kernel_named(
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize256x64x8_stage3_warpsize4x1x1_ffma", 256);
    ASSERT_TRUE(hopper);
    EXPECT_EQ(hopper->tile_n, 256);
    EXPECT_EQ(hopper->tile_m, 64);
    EXPECT_FALSE(kernel_named("gemv2T_kernel_val", 128));
    EXPECT_FALSE(kernel_named("sgemm_99999x1_", 128));
    EXPECT_FALSE(kernel_named("", 128));
}

TEST(Gemm, NoPredictionIsShorterThanArithmeticAtThePeakOrOneReadingOfTheOperands) {
    for (const EmbeddedFile& file : device_files()) {
        const DeviceDescription device = find_description(file.name);
        if (!device.lanes) {
            continue;
        }
        const auto clock = device.boost_clock ? device.boost_clock : device.base_clock;
        for (const GemmProblem& problem :
             {square, GemmProblem{.m = 64, .n = 64, .k = 64}, GemmProblem{.batch = 500, .k = 9000},
              GemmProblem{.m = 1, .n = 5000, .k = 5000, .b_is_transposed = true}}) {
            const double m = static_cast<double>(problem.m * problem.batch);
            const double n = static_cast<double>(problem.n), k = static_cast<double>(problem.k);
            const Seconds time = predict(problem, device).time;
            EXPECT_GT(time, Flops{2 * m * n * k} / *derived_f32_peak(device, clock)) << file.name;
            EXPECT_GT(time, Bytes{4 * m * n} / device.dram_bandwidth->value) << file.name;
        }
    }
}

// x[8192,768] W[columns,768]^T, and the two gradients.
std::vector<GemmProblem> products_of_a_head(std::int64_t columns) {
    const GemmProblem any{.arithmetic = Arithmetic::f16, .element_bytes = 2};
    GemmProblem forward = any, data = any, weights = any;
    std::tie(forward.m, forward.n, forward.k) =
        std::tuple(std::int64_t{8192}, columns, std::int64_t{768});
    forward.b_is_transposed = true;
    std::tie(data.m, data.n, data.k) = std::tuple(std::int64_t{8192}, std::int64_t{768}, columns);
    std::tie(weights.m, weights.n, weights.k) =
        std::tuple(columns, std::int64_t{768}, std::int64_t{8192});
    weights.a_is_transposed = true;
    return {with_loads(forward), with_loads(data), with_loads(weights)};
}

TEST(Gemm, LoadsAreAsWideAsTheRowsOfAllMatricesAllow) {
    for (const auto& [columns, bytes] :
         {std::pair(50257, 2), std::pair(50258, 4), std::pair(50260, 8), std::pair(50264, 16)}) {
        for (const GemmProblem& product : products_of_a_head(columns)) {
            EXPECT_EQ(product.load_bytes, bytes) << columns;
        }
    }
    // The columns of a product of any number of rows are whole, and so are a vector's.
    EXPECT_EQ(load_bytes_of({.m = 3, .n = 64, .k = 64, .element_bytes = 2}), 16);
    EXPECT_EQ(load_bytes_of({.m = 1, .n = 50257, .k = 64, .b_is_transposed = true}), 16);
    EXPECT_EQ(load_bytes_of({.m = 64, .n = 1, .k = 64}), 16);
    EXPECT_EQ(
        load_bytes_of({.m = 3, .n = 64, .k = 64, .element_bytes = 2, .a_is_transposed = true}), 2);
}

TEST(Gemm, RowsThatAreNotAlignedTakeSeveralTimesAsLongInMatrixUnitsSinceAmpere) {
    const auto time = [](const char* name, const GemmProblem& problem) {
        const DeviceDescription device = find_description(name);
        const GemmRates rates = gpu_rates_of(device).product(RateClass::low_precision).rates;
        const auto candidates = candidate_kernels(rates, MultiplyUnits::matrix_units);
        return planned_product(problem, candidates, device, rates).prediction.time;
    };
    const auto odd = products_of_a_head(50257), even = products_of_a_head(50260),
               whole = products_of_a_head(50264);
    for (std::size_t i = 0; i < odd.size(); ++i) {
        EXPECT_GT(time("h100", odd[i]) / time("h100", whole[i]), 3);
        EXPECT_GT(time("a100-80", odd[i]) / time("a100-80", whole[i]), 2);
        EXPECT_LE(time("h100", even[i]) / time("h100", odd[i]), 0.5);
        EXPECT_LT(time("v100", odd[i]) / time("v100", whole[i]), 1.01);
    }
}

TEST(Gemm, OneMoreTileThanAWaveHoldsTakesAnotherRound) {
    const DeviceDescription device = v100();
    const GemmKernel kernel{.tile_n = 128, .tile_m = 128, .warps = 8};
    // 80 processors hold two blocks each.
    const GemmProblem full{.m = 128 * 16, .n = 128 * 10, .k = 4096};
    const GemmProblem more{.m = 128 * 16 + 1, .n = 128 * 10, .k = 4096};
    EXPECT_EQ(predict(full, device, kernel).rounds, 1);
    EXPECT_EQ(predict(more, device, kernel).rounds, 2);
    EXPECT_GT(predict(more, device, kernel).arithmetic / predict(full, device, kernel).arithmetic,
              1.4);
}

TEST(Gemm, PartsAreNotNegativeAndTheWholeIsAtLeastEach) {
    const GemmPrediction found = predict(square, v100(), {.splits = 4});
    for (const Seconds part :
         {found.launch, found.arithmetic, found.latency, found.l2, found.dram, found.split}) {
        EXPECT_GT(part, Seconds{});
        EXPECT_LE(part, found.time);
    }
}

TEST(Gemm, MoreOfAResourceIsNeverSlower) {
    for (const char* more : {"dram_bandwidth=2x", "processors=2x", "boost_clock=2x", "l2=2x"}) {
        DeviceDescription device = v100();
        const GemmRates rates = prior_gemm_rates(device);
        const GemmProblem problem{.m = 3000, .n = 2000, .k = 1000};
        const Seconds before = predict_gemm(problem, {}, device, rates).time;
        change(device, more);
        EXPECT_LE(predict_gemm(problem, {}, device, rates).time, before) << more;
    }
}

// For a product with few results and a long sum, splitting the sum keeps processors busy.
TEST(Gemm, ThePlannedKernelIsTheFastestOfItsCandidates) {
    const DeviceDescription device = v100();
    const GemmRates rates = prior_gemm_rates(device);
    const GemmProblem deep{.m = 64, .n = 64, .k = 65536};
    const GemmKernel planned = planned_kernel(deep, candidate_kernels(rates), device, rates);
    EXPECT_GT(planned.splits, 1);
    EXPECT_LT(predict_gemm(deep, planned, device, rates).time,
              predict_gemm(deep, {.tile_n = 64, .tile_m = 64, .warps = 2}, device, rates).time);
    EXPECT_EQ(planned_kernel(square, candidate_kernels(rates), device, rates).splits, 1);
}

TEST(Gemm, AnUnknownKernelReachesWhatAnotherOfItsTileDoes) {
    GemmRates rates = prior_gemm_rates(v100());
    rates.kernels["volta_sgemm_128x64_tn"] = {.efficiency = 0.71, .rows = 10};
    rates.kernels["volta_sgemm_32x32_sliced1x4_tn"] = {.efficiency = 0.42, .rows = 10};
    rates.kernels["wide"] = {.efficiency = 0.11, .rows = 90};  // a group, without a tile
    EXPECT_EQ(rates.of("ampere_sgemm_128x64_tn").efficiency, 0.71);
    EXPECT_EQ(rates.of("cutlass_80_simt_sgemm_256x128_8x4_tn_align1").efficiency,
              rates.usual.efficiency);
    EXPECT_EQ(rates.of("ampere_sgemm_32x32_tn").efficiency, rates.usual.efficiency);
    EXPECT_EQ(rates.of("ampere_sgemm_32x32_sliced1x4_tn").efficiency, 0.42);
    EXPECT_EQ(rates.of("gemv").efficiency, rates.usual.efficiency);
}

TEST(Gemm, GroupsAreNarrownessDepthAndOrder) {
    EXPECT_EQ(group_of({.m = 16, .n = 5000, .k = 5000}), "rows to 16");
    EXPECT_EQ(group_of({.m = 17, .n = 5000, .k = 5000, .b_is_transposed = true}),
              "rows to 32, transposed");
    EXPECT_EQ(group_of({.m = 8457, .n = 35, .k = 2048}), "columns to 64");
    EXPECT_EQ(group_of({.m = 16, .n = 512, .k = 500000}), "deep");
    EXPECT_EQ(group_of(square), "wide");
}

TEST(Gemm, AGroupsRatesCountWhereNoKernelIsKnown) {
    const DeviceDescription device = v100();
    GemmRates rates = prior_gemm_rates(device);
    const GemmProblem narrow{.m = 16, .n = 4096, .k = 4096};
    const auto time = [&](const GemmProblem& problem) {
        const auto kernel = planned_kernel(problem, candidate_kernels(rates), device, rates);
        return predict_gemm(problem, kernel, device, rates).time;
    };
    const Seconds before = time(narrow), wide_before = time(square);
    rates.kernels["rows to 16"] = {.efficiency = 0.05, .rows = 25};
    EXPECT_GT(time(narrow), before * 1.5);
    EXPECT_EQ(time(square), wide_before);
}

// Tensor cores are eight times as fast, but their operands have half the bytes.
TEST(Gemm, SixteenBitsInTensorCoresAreFasterByNoMoreThanTheirPeak) {
    const DeviceDescription device = v100();
    const GemmRates rates = prior_gemm_rates(device);
    GemmProblem half = square;
    half.arithmetic = Arithmetic::f16;
    half.element_bytes = 2;
    const auto time = [&](const GemmProblem& problem) {
        const auto candidates = candidate_kernels(rates, units_of(problem, device));
        return predict_gemm(problem, planned_kernel(problem, candidates, device, rates), device,
                            rates)
            .time;
    };
    const double gain = time(square) / time(half);
    EXPECT_GT(gain, 2);
    EXPECT_LE(gain, peak_of(device, Arithmetic::f16) / peak_of(device, Arithmetic::f32));
    EXPECT_GE(time(half), Flops{2.0 * 4096 * 4096 * 4096} / peak_of(device, Arithmetic::f16));
}

GemmProblem in_16_bits(std::int64_t m, std::int64_t n, std::int64_t k) {
    return {.m = m,
            .n = n,
            .k = k,
            .b_is_transposed = true,
            .arithmetic = Arithmetic::bf16,
            .element_bytes = 2};
}

Seconds planned_time(const GemmProblem& problem, const DeviceDescription& device,
                     const GemmRates& rates) {
    const auto candidates = candidate_kernels(rates, units_of(problem, device));
    return predict_gemm(problem, planned_kernel(problem, candidates, device, rates), device, rates)
        .time;
}

TEST(Gemm, MemoryTakesTheTimeOfItsRampToComeUpToSpeed) {
    const DeviceDescription device = find_description("h100");
    GemmRates without = prior_matrix_rates(device);
    without.resident = 0;
    const GemmRates with = without;
    without.ramp = Bytes{};
    const Seconds most = with.ramp / (device.dram_bandwidth->value * with.dram_efficiency);
    for (const std::int64_t n : {std::int64_t{256}, std::int64_t{8192}, std::int64_t{65536}}) {
        const GemmProblem problem = in_16_bits(1, n, 8192);
        const Seconds more =
            planned_time(problem, device, with) - planned_time(problem, device, without);
        EXPECT_GE(more, Seconds{}) << n;
        EXPECT_LE(more, most * (1 + 1e-9)) << n;
        EXPECT_GT(more / most, n > 1000 ? 0.5 : 0) << n;
    }
}

// Operands of 8 MB stay in an L2 cache of 50 MB; those of 1 GB are read from memory.
TEST(Gemm, WhatTheCacheStillHoldsMovesFaster) {
    const DeviceDescription device = find_description("h100");
    GemmRates cold = prior_matrix_rates(device);
    const GemmRates warm = cold;
    cold.resident = 0;
    const auto gain = [&](std::int64_t n) {
        const GemmProblem problem = in_16_bits(1, n, 4096);
        return planned_time(problem, device, cold) / planned_time(problem, device, warm);
    };
    EXPECT_GT(gain(1024), 1.1);
    EXPECT_NEAR(gain(131072), 1, 1e-3);
}

TEST(Gemm, ALargerProductInMatrixUnitsIsNotFasterThanASmallerOne) {
    for (const char* const name : {"a100-80", "h100", "b200", "l40s"}) {
        const DeviceDescription device = find_description(name);
        const GemmRates rates = prior_matrix_rates(device);
        Seconds before{};
        for (std::int64_t n = 64; n <= 262144; n *= 2) {
            const Seconds time = planned_time(in_16_bits(8, n, 2048), device, rates);
            EXPECT_GE(time, before) << name << " " << n;
            before = time;
        }
    }
}

}  // namespace

}  // namespace strata::testing
