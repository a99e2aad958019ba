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
    const std::vector<double> times = {5.0, 1.0, cuda::refused_time, 5.0};
    EXPECT_EQ(cuda::fastest_in(times), 1u);
}

TEST(Fastest, TheFavouriteStaysIfNoneIsClearlyFaster) {
    EXPECT_EQ(cuda::fastest_in(std::vector{1.0, 0.97, 0.96}), 0u);
    EXPECT_EQ(cuda::fastest_in(std::vector{1.0, 0.94, 0.90, 0.92}), 2u);
}

TEST(Fastest, IfAllAreRefusedTheFirstReportsIt) {
    const auto refuse = []() -> double {
        throw DeviceError(DeviceTrouble::library_refused, "none");
    };
    const double time = cuda::time_unless_refused(refuse);
    EXPECT_EQ(time, cuda::refused_time);
    EXPECT_EQ(cuda::fastest_in(std::vector{time, time, time}), 0u);
}

TEST(Fastest, ALostDeviceIsNotAnOutcomeOfATrial) {
    const auto lost = []() -> double { throw DeviceError(DeviceTrouble::device_lost, "gone"); };
    EXPECT_THROW(cuda::time_unless_refused(lost), DeviceError);
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
