// SPDX-License-Identifier: MIT
#include "backend/cuda/convolution.h"

#include "backend/cuda/device/machine.h"
#include "backend/cuda/engine.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

#include <vector>

namespace strata::testing {

namespace {

using cuda::DeviceError;
using cuda::DeviceTrouble;

TEST(Fastest, IsTheFastestAmongThoseThatTheLibrarySupports) {
    const auto time_of = [](std::size_t way) {
        if (way == 2) {
            throw DeviceError(DeviceTrouble::library_refused, "not this one");
        }
        return way == 1 ? 1.0 : 5.0;
    };
    EXPECT_EQ(cuda::fastest_of(4, time_of), 1u);
}

TEST(Fastest, TheFavouriteStaysIfNoneIsClearlyFaster) {
    const std::vector<double> near = {1.0, 0.97, 0.96};
    EXPECT_EQ(cuda::fastest_of(3, [&](std::size_t way) { return near[way]; }), 0u);
    const std::vector<double> ahead = {1.0, 0.94, 0.90, 0.92};
    EXPECT_EQ(cuda::fastest_of(4, [&](std::size_t way) { return ahead[way]; }), 2u);
}

TEST(Fastest, IfAllAreRefusedTheFirstReportsIt) {
    const auto refuse = [](std::size_t) -> double {
        throw DeviceError(DeviceTrouble::library_refused, "none");
    };
    EXPECT_EQ(cuda::fastest_of(3, refuse), 0u);
}

TEST(Fastest, ALostDeviceIsNotAnOutcomeOfATrial) {
    const auto lost = [](std::size_t) -> double {
        throw DeviceError(DeviceTrouble::device_lost, "gone");
    };
    EXPECT_THROW(cuda::fastest_of(3, lost), DeviceError);
}

// Without a device nothing is tried, and the library's favourite is used.
TEST(Fastest, AConvolutionHasSeveralPlansUntilADeviceHasTriedThem) {
    const Graph graph = graph_of_problem("convolution(2x16x14x14) out_channels=16 kernel=3x3");
    const Execution fastest = {.numerics = {.dtype = DataType::f16},
                               .engine = {.algorithm = ConvolutionAlgorithm::fastest}};
    Execution automatic = fastest;
    automatic.engine.algorithm = ConvolutionAlgorithm::automatic;
    const auto tried = cuda::prepare_program(graph, fastest, described_h200());
    const auto first = cuda::prepare_program(graph, automatic, described_h200());
    ASSERT_EQ(tried.steps.size(), first.steps.size());
    for (std::size_t i = 0; i < tried.steps.size(); ++i) {
        EXPECT_EQ(tried.steps[i].step.implementation, first.steps[i].step.implementation);
        for (std::size_t call = 0; call < tried.steps[i].calls.size(); ++call) {
            EXPECT_EQ(cuda::workspace_of(tried.steps[i].calls[call]),
                      cuda::workspace_of(first.steps[i].calls[call]));
        }
    }
}

TEST(Fastest, WhatIsChosenAgreesWithTheReference) {
    Execution execution = kept_execution();
    execution.engine.algorithm = ConvolutionAlgorithm::fastest;
    const Graph graph = graph_of_problem("convolution(2x4x7x7) out_channels=4 kernel=3x3");
    EXPECT_EQ(verify_graph(*emulated_backend(), graph, execution), "");
}

}  // namespace

}  // namespace strata::testing
