// SPDX-License-Identifier: MIT
#include "predict/convolution.h"

#include "predict/problems.h"
#include "predict/rates.h"
#include "tests/support/shared_directory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace strata::testing {

namespace {

ConvolutionProblem layer(ConvolutionPass pass, std::int64_t filter = 3, std::int64_t stride = 1) {
    return {.n = 16,
            .c = 128,
            .h = 28,
            .w = 28,
            .k = 256,
            .r = filter,
            .s = filter,
            .pad_h = filter / 2,
            .pad_w = filter / 2,
            .stride_h = stride,
            .stride_w = stride,
            .pass = pass};
}

constexpr std::array convolution_passes = {ConvolutionPass::forward, ConvolutionPass::backward_data,
                                           ConvolutionPass::backward_weights};

ConvolutionPrediction predicted(const ConvolutionProblem& problem,
                                const std::optional<ConvolutionKernel>& pinned = {}) {
    const DeviceDescription device = find_description("v100");
    return predict_convolution(problem, device, prior_convolution_rates(device, problem.pass),
                               pinned);
}

TEST(Convolution, ExtentsFollowFromPadsStridesAndDilations) {
    ConvolutionProblem problem = layer(ConvolutionPass::forward, 5, 2);
    EXPECT_EQ(problem.result_h(), 14);
    problem.dilation_h = 2;
    EXPECT_EQ(problem.result_h(), 12);
    problem.h = 4;
    EXPECT_EQ(problem.result_h(), 0);
    problem = layer(ConvolutionPass::forward);
    problem.groups = 4;
    EXPECT_EQ(problem.flops().value, 2.0 * 16 * 28 * 28 * 256 * 128 / 4 * 9);
}

// No algorithm multiplies faster than the peak allows, or moves its traffic faster than memory.
TEST(Convolution, NothingIsFasterThanWhatItsAlgorithmNeeds) {
    const DeviceDescription device = find_description("v100");
    const double peak = derived_f32_peak(device, device.boost_clock)->value;
    const double memory = device.dram_bandwidth->value.value;
    for (const ConvolutionPass pass : convolution_passes) {
        for (const std::int64_t filter : {1, 3, 5}) {
            const ConvolutionProblem problem = layer(pass, filter);
            const ConvolutionRates rates = prior_convolution_rates(device, pass);
            for (const ConvolutionKernel& kernel :
                 candidate_kernels(problem, find_description("v100"), 7)) {
                const auto found = predict_kernel(problem, kernel, device, rates);
                const bool is_fused = kernel.algorithm == LibraryAlgorithm::fused_winograd;
                const bool is_winograd = kernel.algorithm == LibraryAlgorithm::winograd_3x3;
                const bool is_fft = kernel.algorithm == LibraryAlgorithm::tiled_fft;
                const double saved = is_fused ? 2.25 : is_winograd ? 4 : is_fft ? 25 : 1;
                const double efficiency = std::max(
                    {1.0, rates.tile_128x128, rates.fused_winograd, rates.batched_products});
                EXPECT_GE(found.arithmetic.value,
                          problem.flops().value / saved / peak / efficiency);
                EXPECT_GE(found.time, found.launch + found.arithmetic);
                EXPECT_GE(found.time, found.launch + found.dram);
                EXPECT_LE(found.time, found.launch + found.arithmetic + found.latency + found.l2 +
                                          found.dram + found.transforms + found.split);
                EXPECT_GE(found.dram.value * memory * std::max(1.0, rates.dram_efficiency),
                          0.9 * problem.traffic().value);
            }
        }
    }
}

TEST(Convolution, MatrixUnitsTakeSixteenBitsOfEightChannelsAtATime) {
    const DeviceDescription v100 = find_description("v100");
    const auto time = [&](std::int64_t channels, Arithmetic arithmetic, double bytes) {
        const ConvolutionProblem problem{.n = 64,
                                         .c = channels,
                                         .h = 28,
                                         .w = 28,
                                         .k = 256,
                                         .r = 1,
                                         .s = 1,
                                         .arithmetic = arithmetic,
                                         .element_bytes = bytes};
        return predict_convolution(problem, v100,
                                   prior_convolution_rates(v100, ConvolutionPass::forward))
            .time;
    };
    EXPECT_LT(time(512, Arithmetic::f16, 2), 0.6 * time(512, Arithmetic::f32, 4));
    // If only stored in 16 bits, or with one more channel, it runs on the lanes.
    EXPECT_GT(time(512, Arithmetic::f32, 2), 1.5 * time(512, Arithmetic::f16, 2));
    EXPECT_GT(time(513, Arithmetic::f16, 2), 1.5 * time(512, Arithmetic::f16, 2));
}

TEST(Convolution, MoreImagesNeverTakeLessTimeByTheSameKernel) {
    for (const ConvolutionPass pass : convolution_passes) {
        ConvolutionProblem problem = layer(pass);
        const auto kernels = candidate_kernels(problem, find_description("v100"), 7);
        const DeviceDescription device = find_description("v100");
        const ConvolutionRates rates = prior_convolution_rates(device, pass);
        for (const ConvolutionKernel& kernel : kernels) {
            Seconds before;
            for (problem.n = 1; problem.n <= 256; problem.n *= 2) {
                const Seconds time = predict_kernel(problem, kernel, device, rates).time;
                EXPECT_GE(time, before);
                before = time;
            }
        }
    }
}

TEST(Convolution, WhatIsPinnedIsTakenAndNeverFasterThanThePlan) {
    for (const ConvolutionPass pass : convolution_passes) {
        const ConvolutionProblem problem = layer(pass);
        const auto plan = predicted(problem);
        const auto pinned =
            predicted(problem, ConvolutionKernel{.algorithm = LibraryAlgorithm::precomputed_gemm});
        EXPECT_EQ(pinned.kernel.algorithm, LibraryAlgorithm::precomputed_gemm);
        EXPECT_GE(pinned.time, plan.time);
        EXPECT_NE(plan.kernel.algorithm, LibraryAlgorithm::precomputed_gemm);
    }
    // Winograd's filters are 3 x 3, even if a table says otherwise.
    const auto impossible =
        predicted(layer(ConvolutionPass::forward, 1),
                  ConvolutionKernel{.algorithm = LibraryAlgorithm::fused_winograd});
    EXPECT_NE(impossible.kernel.algorithm, LibraryAlgorithm::fused_winograd);
}

TEST(Convolution, AnOldLibraryHasNoWinogradOfFiltersGradients) {
    const ConvolutionProblem problem = layer(ConvolutionPass::backward_weights);
    for (const ConvolutionKernel& kernel :
         candidate_kernels(problem, find_description("v100"), 5)) {
        EXPECT_EQ(kernel.algorithm, LibraryAlgorithm::precomputed_gemm);
    }
    EXPECT_GT(candidate_kernels(problem, find_description("v100"), 7).size(),
              candidate_kernels(problem, find_description("v100"), 5).size());
}

std::set<LibraryAlgorithm> algorithms_of(const ConvolutionProblem& problem, std::string_view device,
                                         double library) {
    std::set<LibraryAlgorithm> found;
    for (const ConvolutionKernel& kernel :
         candidate_kernels(problem, find_description(device), library)) {
        found.insert(kernel.algorithm);
    }
    return found;
}

ConvolutionProblem in_16_bits(ConvolutionProblem problem) {
    problem.arithmetic = Arithmetic::f16;
    problem.element_bytes = 2;
    return problem;
}

TEST(Convolution, MatrixUnitsOfLaterLibrariesComputeOnlyProducts) {
    const std::set only_products = {LibraryAlgorithm::precomputed_gemm};
    for (const ConvolutionPass pass : convolution_passes) {
        ConvolutionProblem problem = in_16_bits(layer(pass));
        EXPECT_EQ(algorithms_of(problem, "h100", 9), only_products);
        EXPECT_EQ(algorithms_of(problem, "a100-80", 8), only_products);
        EXPECT_GT(algorithms_of(problem, "v100", 7).size(), 1U);
        problem.arithmetic = Arithmetic::f32;  // stored in 16 bits
        EXPECT_EQ(algorithms_of(problem, "h100", 9), only_products);
        problem = layer(pass);
        problem.arithmetic = Arithmetic::tf32;
        EXPECT_EQ(algorithms_of(problem, "h100", 9), only_products);
    }
}

TEST(Convolution, AHopperHasNoFusedWinogradInSinglePrecision) {
    using enum LibraryAlgorithm;
    const auto of = [](ConvolutionPass pass, std::string_view device, double library) {
        return algorithms_of(layer(pass), device, library);
    };
    const std::set with_fft = {precomputed_gemm, tiled_fft};
    EXPECT_EQ(of(ConvolutionPass::forward, "h100", 9), with_fft);
    EXPECT_EQ(of(ConvolutionPass::backward_data, "h100", 9), with_fft);
    EXPECT_EQ(of(ConvolutionPass::backward_weights, "h100", 9),
              (std::set{precomputed_gemm, winograd_3x3, tiled_fft}));
    EXPECT_TRUE(of(ConvolutionPass::forward, "a100-80", 9).contains(fused_winograd));
    EXPECT_TRUE(of(ConvolutionPass::forward, "h100", 7).contains(fused_winograd));
}

TEST(Convolution, PaddingOnChipIsMultipliedButNotMoved) {
    const DeviceDescription h100 = find_description("h100");
    ConvolutionRates rates = prior_convolution_rates(h100, ConvolutionPass::forward);
    ConvolutionProblem problem = in_16_bits(layer(ConvolutionPass::forward));
    problem.c = 3;
    const ConvolutionKernel kernel{
        .algorithm = LibraryAlgorithm::precomputed_gemm, .tile_m = 128, .tile_n = 128, .splits = 1};
    const auto few = predict_kernel(problem, kernel, h100, rates);
    EXPECT_DOUBLE_EQ(few.dram_traffic.value, problem.traffic().value);
    problem.c = 8;
    const auto padded = predict_kernel(problem, kernel, h100, rates);
    EXPECT_EQ(few.flops, padded.flops);
    EXPECT_LT(few.dram_traffic, padded.dram_traffic);
    problem.c = 3;
    rates.library = 7;
    EXPECT_GT(predict_kernel(problem, kernel, h100, rates).dram_traffic, few.dram_traffic);
}

TEST(Convolution, AnAlgorithmsWorkspaceIsWhatItKeeps) {
    const ConvolutionProblem problem = layer(ConvolutionPass::forward);
    const auto of = [&](LibraryAlgorithm algorithm) {
        return predicted(problem, ConvolutionKernel{.algorithm = algorithm}).workspace.value;
    };
    EXPECT_EQ(of(LibraryAlgorithm::implicit_gemm), 0);
    EXPECT_EQ(of(LibraryAlgorithm::explicit_gemm), 16.0 * 28 * 28 * 128 * 9 * 4);
    EXPECT_EQ(of(LibraryAlgorithm::fused_winograd), 16.0 * 128 * 256 * 4);
    EXPECT_EQ(of(LibraryAlgorithm::winograd_3x3), 36.0 * (16 * 49 * (128 + 256) + 128 * 256) * 4);
}

TEST(Convolution, GenerationsGainBothWays) {
    const ConvolutionRates rates;
    const ConvolutionRates back = later(later(rates, 1, 1.3), -1, 1.3);
    EXPECT_GT(later(rates, 1, 1.3).tile_128x128, rates.tile_128x128);
    EXPECT_LT(later(rates, 1, 1.3).launch, rates.launch);
    EXPECT_NEAR(back.tile_128x128, rates.tile_128x128, 1e-12);
    EXPECT_NEAR(back.launch.value, rates.launch.value, 1e-15);
}

TEST(Convolution, AnOldLibraryIsSlowerAtFiltersGradientsOnly) {
    const auto pass = ConvolutionPass::backward_weights;
    const ConvolutionRates rates = prior_convolution_rates(find_description("p100"), pass);
    const ConvolutionRates before = with_library(rates, pass, 5);
    EXPECT_GT(before.ramp, rates.ramp);
    EXPECT_NEAR(with_library(before, pass, 7).ramp, rates.ramp, 1e-9);
    EXPECT_EQ(with_library(rates, ConvolutionPass::forward, 5).ramp, rates.ramp);
}

// Every row of the published tables is a convolution, or is refused with a reason.
TEST(Convolution, PublishedTablesAreReadWhole) {
    const DeviceDescription v100 = find_description("v100");
    for (const char* const set : {"deepbench", "neusight"}) {
        const auto file = shared_directory() / "data" / set / "convolution.csv";
        if (!std::filesystem::exists(file)) {
            GTEST_SKIP() << "no published measurements; set STRATA_SHARED_DIR";
        }
        std::size_t unnamed = 0;
        const ProblemTable table = read_problem_file(file.string());
        EXPECT_GT(table.rows.size(), 2000U);
        for (const ProblemRow& row : table.rows) {
            if (const auto* convolution = std::get_if<ConvolutionRow>(&row.problem)) {
                unnamed += convolution->kernel ? 0U : 1U;
                EXPECT_FALSE(
                    candidate_kernels(convolution->problem, v100, 5, convolution->kernel).empty());
            } else {
                EXPECT_NE(row.problem_class.find("fp16"), std::string::npos);
            }
        }
        if (std::string_view(set) == "neusight") {
            EXPECT_LT(unnamed, 10U);
        }
    }
}

// The rows of an H100 that its rates were not fitted to, by class, are about as far off as
// docs/prediction-accuracy.md says.
TEST(Convolution, RowsThatWereKeptFromTheFitArePredicted) {
    const auto file = std::filesystem::path(STRATA_RESULTS_DIR) / "h100-sxm" / "convolutions.csv";
    const ProblemTable table = read_problem_file(file.string());
    const auto fitted = std::ranges::find(table.columns, "fitted") - table.columns.begin();
    const DeviceDescription h100 = find_description("h100");
    const DeviceRates rates = shipped_rates_of("h100");
    std::map<std::string, std::vector<double>> errors;
    for (const ProblemRow& row : table.rows) {
        if (row.fields.at(static_cast<std::size_t>(fitted)) == "no") {
            errors[row.problem_class].push_back(
                std::abs(predict_row(row, h100, rates) / *row.measured - 1));
        }
    }
    EXPECT_EQ(errors.size(), 9U);
    double all = 0, rows = 0;
    for (const auto& [name, of_class] : errors) {
        const double sum = std::accumulate(of_class.begin(), of_class.end(), 0.0);
        const auto n = static_cast<double>(of_class.size());
        EXPECT_LT(sum / n, 0.28) << name;
        all += sum;
        rows += n;
    }
    EXPECT_EQ(rows, 686);
    EXPECT_LT(all / rows, 0.17);
}

}  // namespace

}  // namespace strata::testing
