// SPDX-License-Identifier: MIT
#include "predict/cpu_fit.h"

#include "networks/network.h"
#include "predict/network.h"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::testing {

namespace {

// The passes of these operators, without times.
std::vector<OperatorTime> passes_of(const std::vector<std::string>& operators) {
    std::vector<OperatorTime> all;
    for (const std::string& text : operators) {
        const Graph graph =
            load_network({.network = text, .batch = {}, .dims = {}, .variables = {}});
        const Layer& layer = graph.layers.front();
        const Signature signature = signature_of(graph, layer);
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            all.push_back({.op = layer.op,
                           .signature = signature,
                           .pass = pass,
                           .mode = Mode::training,
                           .kind = StepKind::compute,
                           .time = {}});
        }
    }
    return all;
}

std::vector<std::string> some_operators() {
    std::vector<std::string> all;
    for (const int channels : {16, 32, 64, 128, 256}) {
        for (const int extent : {7, 14, 28, 56}) {
            all.push_back("convolution(2x" + std::to_string(channels) + "x" +
                          std::to_string(extent) + "x" + std::to_string(extent) +
                          ") out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1 bias=false");
            all.push_back("activation(4x" + std::to_string(channels) + "x" +
                          std::to_string(extent) + "x" + std::to_string(extent) + ")");
        }
    }
    for (const int batch : {1, 4, 16, 64, 256}) {
        for (const int width : {64, 512, 2048}) {
            all.push_back("fully_connected(" + std::to_string(batch) + "x" + std::to_string(width) +
                          ") out_features=1000");
        }
    }
    return all;
}

CpuRates planted() {
    CpuRates rates;
    rates.l2 = 0.9;
    rates.l3 = 0.3;
    for (const char* pass : {" forward", " backward_data", " backward_weights"}) {
        rates.products["convolution" + std::string(pass)] = {.call = Seconds{4e-6},
                                                             .efficiency = 0.6,
                                                             .sum = 30,
                                                             .row = 1.5,
                                                             .columns = 4,
                                                             .traffic = 1.5};
        rates.products["fully_connected" + std::string(pass)] = {.call = Seconds{1e-6},
                                                                 .efficiency = 0.7,
                                                                 .sum = 3,
                                                                 .row = 3,
                                                                 .columns = 9,
                                                                 .traffic = 1.2};
        rates.streams["relu" + std::string(pass)] = {
            .call = Seconds{5e-7}, .operations = 4, .traffic = 1.1};
    }
    return rates;
}

// Passes with times that were computed from known rates.
std::vector<OperatorTime> planted_times(const CpuCeilings& ceilings) {
    std::vector<OperatorTime> times = passes_of(some_operators());
    std::erase_if(times, [&](OperatorTime& one) {
        const auto time = predict_alone(one, ceilings, planted());
        one.time = time.value_or(Seconds{});
        return !time;
    });
    return times;
}

TEST(CpuFit, PlantedRatesAreFoundAgainAsFarAsTheirTimesTell) {
    const DeviceDescription device = find_description("skylake-8180");
    const CpuCeilings ceilings = ceilings_for_rates(device);
    const auto times = planted_times(ceilings);
    ASSERT_GT(times.size(), 100U);
    const CpuRates found = fit_cpu_rates(times, device);
    double sum = 0;
    for (const OperatorTime& one : times) {
        const double error = std::abs(*predict_alone(one, ceilings, found) / one.time - 1);
        EXPECT_LT(error, 0.3);
        sum += error;
    }
    EXPECT_LT(sum / static_cast<double>(times.size()), 0.03);
    EXPECT_NEAR(found.products.at("convolution forward").efficiency, 0.6, 0.06);
}

TEST(CpuFit, AFewDisturbedTimesDoNotBendIt) {
    const DeviceDescription device = find_description("skylake-8180");
    const CpuCeilings ceilings = ceilings_for_rates(device);
    const auto clean = planted_times(ceilings);
    auto times = clean;
    for (std::size_t i = 0; i < times.size(); i += 20) {
        times[i].time *= 3;
    }
    const CpuRates found = fit_cpu_rates(times, device);
    double sum = 0;
    for (const OperatorTime& one : clean) {
        sum += std::abs(*predict_alone(one, ceilings, found) / one.time - 1);
    }
    EXPECT_LT(sum / static_cast<double>(clean.size()), 0.06);
}

TEST(CpuFit, WhatHasNoTimeSaysNothing) {
    const DeviceDescription device = find_description("skylake-8180");
    auto times = passes_of({"activation(4x64)"});
    times.front().time = Seconds{std::nan("")};
    EXPECT_TRUE(fit_cpu_rates(times, device).streams.empty());
}

}  // namespace

}  // namespace strata::testing
