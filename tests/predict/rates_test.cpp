// SPDX-License-Identifier: MIT
#include "predict/rates.h"

#include "base/error.h"

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

TEST(Rates, EveryShippedFileCanBeReadAndIsOfADescribedDevice) {
    for (const EmbeddedFile& file : rate_files()) {
        EXPECT_NO_THROW(find_description(file.name)) << file.name;
        const DeviceRates rates = parse_rates(file.text, file.name);
        EXPECT_FALSE(rates.gemm.empty() && rates.streaming.empty() && rates.training_step.empty())
            << file.name;
    }
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

}  // namespace

}  // namespace strata::testing
