// SPDX-License-Identifier: MIT
#include "predict/rates.h"

#include "base/error.h"
#include "predict/gpu_rates.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace strata::testing {

namespace {

// Rows whose times are predictions with these rates.
ProblemTable made_rows(const DeviceDescription& device, const DeviceRates& truth) {
    std::string csv = "device,op,batch,m,n,k,kernel,grid,block\n";
    for (int m = 100; m < 4000; m = m * 3 / 2) {
        for (int k = 64; k < 5000; k *= 2) {
            csv += "V100,linear,1," + std::to_string(m) + ",1500," + std::to_string(k) +
                   ",volta_sgemm_128x64_tn,1x1x1,128\n";
        }
    }
    ProblemTable table = read_problems(csv, "made.csv");
    for (ProblemRow& row : table.rows) {
        row.measured = predict_row(row, device, truth);
    }
    return table;
}

TEST(Rates, AFitFindsRatesThatPredictAsThoseThatMadeTheTimes) {
    const DeviceDescription device = find_description("v100-pcie");
    DeviceRates truth;
    GemmRates& made = truth.gemm.emplace("linear", prior_gemm_rates(device)).first->second;
    made.launch = Seconds{41e-6};
    made.kernels["volta_sgemm_128x64_tn"] = {.efficiency = 0.71, .half_saturation = 2};
    const ProblemTable table = made_rows(device, truth);
    std::vector<const ProblemRow*> rows;
    for (const ProblemRow& row : table.rows) {
        rows.push_back(&row);
    }
    const DeviceRates found = fit_rates(rows, device);
    const GemmRates& linear = found.gemm.at("linear");
    EXPECT_NEAR(linear.launch.value, 41e-6, 2e-6);
    EXPECT_EQ(linear.kernels.at("volta_sgemm_128x64_tn").rows, static_cast<int>(rows.size()));
    for (const ProblemRow* const row : rows) {
        EXPECT_NEAR(predict_row(*row, device, found) / *row->measured, 1, 0.03);
    }
}

TEST(Rates, AFileHoldsThemAll) {
    DeviceRates rates;
    rates.gemm["linear"].kernels["volta_sgemm_128x64_tn"] = {.efficiency = 0.71, .rows = 25};
    rates.gemm["linear"].scatter = 0.125;
    rates.gemm["linear"].usual.efficiency = 0.625;
    rates.streaming["softmax by warps"].launch = Seconds{33e-6};
    rates.recurrent["recurrent fp32 forward"].by_batch[1].multiply = Seconds{155e-9};
    rates.convolution["convolution"].library = 5;
    rates.convolution["convolution"].scattered = 4.25;
    const DeviceRates back = parse_rates(to_toml(rates, "a \"test\""), "rates.toml");
    EXPECT_EQ(back.gemm.at("linear").scatter, 0.125);
    EXPECT_EQ(back.gemm.at("linear").usual.efficiency, 0.625);
    EXPECT_EQ(back.gemm.at("linear").kernels.at("volta_sgemm_128x64_tn").rows, 25);
    EXPECT_NEAR(back.gemm.at("linear").kernels.at("volta_sgemm_128x64_tn").efficiency, 0.71, 1e-6);
    EXPECT_NEAR(back.recurrent.at("recurrent fp32 forward").by_batch[1].multiply.value, 155e-9,
                1e-13);
    EXPECT_EQ(back.convolution.at("convolution").library, 5);
    EXPECT_EQ(back.convolution.at("convolution").scattered, 4.25);
    EXPECT_NEAR(back.streaming.at("softmax by warps").launch.value, 33e-6, 1e-10);
}

TEST(Rates, WhatNoRateCanBeIsRefused) {
    EXPECT_THROW(parse_rates("[[gemm]]\nclass = \"bmm\"\nlaunch_s = -1\n", "x"), Error);
    EXPECT_THROW(parse_rates("[[gemm]]\nclass = \"bmm\"\nlaunch = 1\n", "x"), Error);
    EXPECT_THROW(parse_rates("[[streaming]]\nlaunch_s = 1\n", "x"), Error);
    EXPECT_THROW(parse_rates("[[recurrent]]\nclass = \"x\"\nfirst_steps = 0\n", "x"), Error);
    EXPECT_THROW(parse_rates("speed = 1\n", "x"), Error);
}

// Decoding by a library called ours: batches, keys and groups of heads.
std::string attention_decoding() {
    std::string text = "precision,batch,heads,kv_heads,queries,keys,width,mask,library\n";
    for (const int batch : {1, 4, 16, 64, 256}) {
        for (const int keys : {64, 512, 4096, 16384}) {
            for (const int kv_heads : {1, 8, 64}) {
                text += fmt::format("bf16_mixed,{},64,{},1,{},128,causal,ours\n", batch, kv_heads,
                                    keys);
            }
        }
    }
    return text;
}

TEST(Rates, EveryShippedFileCanBeReadAndIsOfADescribedDevice) {
    for (const EmbeddedFile& file : rate_files()) {
        EXPECT_NO_THROW(find_description(file.name)) << file.name;
        const DeviceRates rates = parse_rates(file.text, file.name);
        EXPECT_FALSE(rates.gemm.empty() && rates.streaming.empty() && rates.training_step.empty() &&
                     rates.attention.empty())
            << file.name;
    }
}

// A fit recovers the rates of a known kernel, and they also predict other problems.
TEST(Rates, AttentionIsFittedToRowsOfEachPhaseAndLibrary) {
    const DeviceDescription device = find_description("h100");
    FusedRates truth = prior_fused_rates(AttentionPhase::decode);
    truth.launch = Seconds{5e-6};
    truth.dram_efficiency = 0.9;
    truth.packed_heads = 32;
    ProblemTable table = read_problems(attention_decoding(), "x.csv");
    std::vector<const ProblemRow*> rows;
    for (ProblemRow& row : table.rows) {
        row.measured =
            predict_fused(std::get<AttentionRow>(row.problem).problem, device, truth).time;
        if (rows.size() < table.rows.size() - 5) {
            rows.push_back(&row);
        }
    }
    const DeviceRates found = fit_rates(rows, device);
    ASSERT_EQ(found.attention.size(), 1u);
    EXPECT_EQ(found.attention.begin()->first, "attention 16 bits decode ours");
    EXPECT_EQ(found.attention.begin()->second.packed_heads, 32);
    for (const ProblemRow& row : table.rows) {
        EXPECT_NEAR(predict_row(row, device, found) / *row.measured, 1, 0.02);
    }
    const DeviceRates read = parse_rates(to_toml(found, "a test"), "x");
    EXPECT_NEAR(predict_row(table.rows[0], device, read) / *table.rows[0].measured, 1, 0.02);
    // Another library's rows use rates of the phase for all libraries, and there are none.
    EXPECT_NE(find_fused_rates(found, AttentionPhase::decode, "ours"), nullptr);
    EXPECT_EQ(find_fused_rates(found, AttentionPhase::decode, "theirs"), nullptr);
}

TEST(Rates, AttentionOfAnUnknownLibraryIsThatOfAll) {
    DeviceRates rates;
    rates.attention.emplace("attention 16 bits prefill", FusedRates{.efficiency = 0.1});
    rates.attention.emplace("attention 16 bits prefill ours", FusedRates{.efficiency = 0.2});
    const auto efficiency = [&](AttentionPhase phase, std::string_view library) {
        return find_fused_rates(rates, phase, library)->efficiency;
    };
    EXPECT_EQ(efficiency(AttentionPhase::prefill, "ours"), 0.2);
    EXPECT_EQ(efficiency(AttentionPhase::prefill, "theirs"), 0.1);
    EXPECT_EQ(efficiency(AttentionPhase::encoder, "ours"), 0.2);  // no mask, the same kernels
    EXPECT_EQ(find_fused_rates(rates, AttentionPhase::decode), nullptr);
}

TEST(Rates, AnH200TakesTheAttentionOfAnH100) {
    const auto table = read_problems(
        "precision,batch,heads,kv_heads,queries,keys,width,mask,algorithm\n"
        "bf16_mixed,8,32,8,4096,4096,128,causal,fused\n"
        "bf16_mixed,64,32,8,1,8192,128,causal,fused\n",
        "x.csv");
    const DeviceDescription h100 = find_description("h100"), h200 = find_description("h200");
    const auto ratio = [&](const ProblemRow& row) {
        return predict_row(row, h200, rates_for_problems(h200)) /
               predict_row(row, h100, rates_for_problems(h100));
    };
    EXPECT_NEAR(ratio(table.rows[0]), 1, 0.03);  // the same arithmetic binds
    EXPECT_LT(ratio(table.rows[1]), 0.9);        // a faster memory binds in part
    EXPECT_GT(ratio(table.rows[1]), 3350.0 / 4800.0);
}

// A board of another architecture's name, and one of the same name with other matrix units.
TEST(Rates, ProductsTakeTheRatesOfADeviceWithMatrixUnitsOfThatWidth) {
    constexpr auto products = static_cast<std::size_t>(RateClass::low_precision);
    DeviceDescription device = find_description("b200");
    device.name = "wide";
    device.architecture = "ada";
    EXPECT_EQ(gpu_rates_of(device).sources[products].device, "b200");
    device.architecture = "blackwell";
    device.f16_peak->value *= 1.0 / 8;
    EXPECT_EQ(gpu_rates_of(device).sources[products].device, "rtx-pro-6000");
    EXPECT_TRUE(rates_for_problems(device).gemm.contains("gemm fp8"));
}

TEST(Rates, ADeviceWithoutLanesPredictsNoProducts) {
    const auto table = read_problems("op,batch,m,n,k\nbmm,1,8,8,8\n", "x.csv");
    DeviceDescription device = find_description("v100");
    device.lanes.reset();
    EXPECT_THROW(predict_row(table.rows[0], device, {}), Error);
}

TEST(Rates, OnTpusProductsRunInSystolicArrays) {
    const auto table = read_problems("op,batch,m,n,k\nlinear,1,4096,4096,4096\n", "x.csv");
    const DeviceDescription device = find_description("tpu-v2");
    const DeviceRates rates = rates_of(device.name);
    EXPECT_EQ(predict_row(table.rows[0], device, rates),
              predict_systolic_gemm(std::get<GemmRow>(table.rows[0].problem).problem, device,
                                    systolic_rates(rates))
                  .time);
}

// A missing number of a description is refused in one sentence; no other type replaces it.
TEST(Rates, ATypeThatTheDeviceLacksIsRefused) {
    const auto refusal = [](const char* precision, const char* device) -> std::string {
        const auto table = read_problems(
            fmt::format("precision,m,n,k,a_transposed,b_transposed\n{},512,512,512,T,N\n",
                        precision),
            "x.csv");
        const DeviceDescription description = find_description(device);
        try {
            predict_row(table.rows[0], description, rates_for_problems(description));
        } catch (const Error& error) {
            return error.what();
        }
        return "predicted";
    };
    constexpr const char* sentence =
        "{} has no {}_peak; add it to its description if it computes in that type";
    EXPECT_EQ(refusal("fp8", "a100-80"), fmt::format(fmt::runtime(sentence), "a100-80", "f8"));
    EXPECT_EQ(refusal("fp8", "rtx-a6000"), fmt::format(fmt::runtime(sentence), "rtx-a6000", "f8"));
    EXPECT_EQ(refusal("tf32", "v100"), fmt::format(fmt::runtime(sentence), "v100", "tf32"));
    EXPECT_EQ(refusal("int8", "p100"), fmt::format(fmt::runtime(sentence), "p100", "i8"));
    EXPECT_EQ(refusal("bf16", "t4"), fmt::format(fmt::runtime(sentence), "t4", "bf16"));
    for (const char* const precision : {"tf32", "fp8", "int8", "bf16"}) {
        EXPECT_EQ(refusal(precision, "h200"), "predicted") << precision;
    }
}

TEST(Rates, ProductsIn8BitsTakeTheRatesOf16AtTheirOwnPeakWhereNoneAreFitted) {
    DeviceRates rates;
    const DeviceDescription h100 = find_description("h100");
    rates.gemm.emplace("gemm 16 bits", prior_matrix_rates(h100));
    EXPECT_EQ(find_products(rates, "gemm fp8"), &rates.gemm.at("gemm 16 bits"));
    EXPECT_EQ(find_products(rates, "gemm fp32"), nullptr);
    const auto table = read_problems(
        "precision,m,n,k,a_transposed,b_transposed\nfp8,8192,8192,8192,T,N\n"
        "bf16,8192,8192,8192,T,N\n",
        "x.csv");
    const double ratio =
        predict_row(table.rows[1], h100, rates) / predict_row(table.rows[0], h100, rates);
    EXPECT_GT(ratio, 1.5);
    EXPECT_LE(ratio, 2);
}

// An A100 is as near to a V100 as to an H100, but runs the kernels of cuDNN 8 and later.
TEST(Rates, ConvolutionsTakeThoseOfADeviceWithALibraryOfTheSameEra) {
    const auto source = [](std::string_view device, RateClass rates) {
        return gpu_rates_of(find_description(device)).sources[static_cast<std::size_t>(rates)];
    };
    for (const char* const device : {"a100-40", "a100-80", "rtx-3090", "l40s", "b200"}) {
        EXPECT_EQ(source(device, RateClass::low_precision_convolution_forward).device, "h100");
        EXPECT_EQ(source(device, RateClass::convolution_backward_weights).device, "h100");
    }
    EXPECT_EQ(source("t4", RateClass::low_precision_convolution_forward).device, "v100");
    const DeviceRates of_table = rates_for_problems(find_description("a100-40"));
    EXPECT_EQ(of_table.convolution.at("convolution 16 bits forward").library, 8);
}

// A Hopper has no fused Winograd to fit, and an Ampere must not gain by the Hopper's low share.
TEST(Rates, AnAlgorithmThatNoRowCouldTakeKeepsItsAssumedSpeedOnOtherDevices) {
    const std::string name = "convolution fp32 forward";
    const DeviceDescription a100 = find_description("a100-40");
    ASSERT_LT(sustained_share(find_description("h100")), 0.9 * sustained_share(a100));
    EXPECT_NEAR(rates_for_problems(a100).convolution.at(name).fused_winograd,
                prior_convolution_rates(a100, ConvolutionPass::forward).fused_winograd *
                    sustained_share(a100),
                1e-3);
}

TEST(Rates, EarlierFilesOfConvolutionsAreRead) {
    const DeviceRates rates = parse_rates(
        "[[convolution]]\nclass = \"convolution fp16_mixed forward\"\ndirect = 0.5\n", "x.toml");
    EXPECT_EQ(rates.convolution.at("convolution 16 bits forward").depthwise, 0.5);
}

}  // namespace

}  // namespace strata::testing
