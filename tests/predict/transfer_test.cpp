// SPDX-License-Identifier: MIT
#include "predict/transfer.h"

#include "predict/gpu_rates.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::testing {

namespace {

TEST(Transfer, RatesMoveThereAndBack) {
    const DeviceDescription v100 = find_description("v100"), p100 = find_description("p100");
    GemmRates rates = prior_gemm_rates(v100);
    rates.kernels["128x64"].step = Seconds{0.5e-6};
    const GemmRates there = moved(rates, v100, p100);
    EXPECT_LT(there.l2, rates.l2);
    EXPECT_GT(there.kernels.at("128x64").step, rates.kernels.at("128x64").step);
    const GemmRates back = moved(there, p100, v100);
    EXPECT_NEAR(back.l2 / rates.l2, 1, 1e-12);
    EXPECT_NEAR(back.kernels.at("128x64").step.value, 0.5e-6, 1e-15);
    EXPECT_GT(moved(StreamingRates(), p100, v100).hidden, StreamingRates().hidden);
}

TEST(Transfer, KernelsOfAllGenerationsAreCalledByTheirTiles) {
    const auto called = [](const char* name) {
        ProblemRow row{.problem = GemmRow{{}, kernel_named(name, 128)}};
        return std::get<GemmRow>(with_general_kernel(row).problem).kernel->name;
    };
    EXPECT_EQ(called("volta_sgemm_128x64_tn"), called("ampere_sgemm_128x64_tn"));
    EXPECT_EQ(called("volta_sgemm_32x32_sliced1x4_tn"), "sliced_32x32");
}

// No description states the host's launch time: tables of PyTorch's operators include its launches,
// DeepBench's tables include its own.
TEST(Transfer, ADeviceWithoutRatesHasThoseOfARelativeByClass) {
    for (const char* const name : {"h100", "a100-80", "t4", "l4", "h200", "rtx-4090", "p4"}) {
        const DeviceDescription device = find_description(name);
        const DeviceRates rates = rates_for_problems(device);
        for (const char* const by_pytorch : {"add", "softmax by warps", "ln by long rows"}) {
            ASSERT_TRUE(rates.streaming.contains(by_pytorch)) << name;
            EXPECT_GT(rates.streaming.at(by_pytorch).launch, Seconds{15e-6}) << name;
        }
        ASSERT_TRUE(rates.gemm.contains("linear")) << name;
        EXPECT_GT(rates.gemm.at("linear").launch, Seconds{15e-6}) << name;
        EXPECT_LT(rates.gemm.at("gemm fp32").launch, Seconds{15e-6}) << name;
        const GemmProblem problem{.m = 8192, .n = 8192, .k = 8192, .b_is_transposed = true};
        const Seconds time =
            predict_row({.problem_class = "linear", .problem = GemmRow{problem}}, device, rates);
        const double reached =
            Flops{2.0 * 8192 * 8192 * 8192} / time / peak_of(device, Arithmetic::f32);
        EXPECT_GT(reached, 0.3) << name;
        EXPECT_LT(reached, 0.97) << name;
    }
}

// The same arithmetic and cache, and a faster memory.
TEST(Transfer, ABoardWithMoreMemoryIsNoSlower) {
    const GemmProblem problem{.m = 8192, .n = 8192, .k = 8192, .b_is_transposed = true};
    const auto time_on = [&](const char* name) {
        const DeviceDescription device = find_description(name);
        return predict_row({.problem_class = "linear", .problem = GemmRow{problem}}, device,
                           rates_for_problems(device));
    };
    EXPECT_LE(time_on("a100-80"), time_on("a100-40"));
}

TEST(Transfer, MakersDoNotLendEachOther) {
    EXPECT_EQ(maker_of(find_description("v100")), maker_of(find_description("k40")));
    EXPECT_NE(maker_of(find_description("v100")), maker_of(find_description("mi25")));
    EXPECT_EQ(maker_of(find_description("knl-7250")), "");
}

// The times of two devices, computed from one set of rates, determine those of a third.
TEST(Transfer, RatesOfOthersPredictADeviceThatIsAlikeButForItsDescription) {
    std::string csv =
        "device,precision,n,c,h,w,k,r,s,pad_h,pad_w,stride_h,stride_w,pass,algorithm\n";
    for (const char* const device : {"NV_TitanX_Pascal", "NV_1080Ti"}) {
        for (int c = 16; c <= 1024; c *= 2) {
            for (int n = 2; n <= 32; n *= 2) {
                csv += std::string(device) + ",fp32," + std::to_string(n) + "," +
                       std::to_string(c) + ",28,28,256,3,3,1,1,2,2,forward,\n";
            }
        }
    }
    ProblemTable table = read_problems(csv, "made.csv");
    const std::string name = table.rows.front().problem_class;
    const DeviceDescription target = find_description("p100");
    DeviceRates truth;
    ConvolutionRates& made =
        truth.convolution.emplace(name, prior_convolution_rates(target, ConvolutionPass::forward))
            .first->second;
    made.tile_128x128 = 0.61;
    made.launch = Seconds{33e-6};
    std::vector<const ProblemRow*> rows;
    for (ProblemRow& row : table.rows) {
        row.measured = predict_row(row, find_description(row.device), truth);
        rows.push_back(&row);
    }
    const DeviceRates found = fit_elsewhere(rows, target);
    for (const ProblemRow* const row : rows) {
        EXPECT_NEAR(predict_row(*row, target, found) / predict_row(*row, target, truth), 1, 0.05);
    }
}

// Shared memory limits fused attention's blocks, so its rates are not the RTX 4090's, although that
// architecture is as near.
TEST(Transfer, AttentionFollowsABoardWithAsMuchSharedMemory) {
    constexpr const char* phase = "attention 16 bits prefill vllm";
    const auto efficiency = [&](const DeviceRates& rates) {
        return rates.attention.at(phase).efficiency;
    };
    for (const char* const name : {"a100-80", "h100"}) {
        DeviceRates related;
        add_rates_of_relatives(find_description(name), related);
        EXPECT_NE(efficiency(related), efficiency(shipped_rates_of("rtx-4090"))) << name;
    }
    DeviceRates related;
    add_rates_of_relatives(find_description("l40s"), related);
    EXPECT_EQ(efficiency(related), efficiency(shipped_rates_of("rtx-4090")));
}

}  // namespace

}  // namespace strata::testing
