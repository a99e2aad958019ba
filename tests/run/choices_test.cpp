// SPDX-License-Identifier: MIT
#include "run/choices.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Choices, EveryCombinationIsAnExecutionAndTheRestIsCommon) {
    const Execution common = {.mode = Mode::inference, .dtype = DataType::f16};
    const auto executions = executions_of(
        common, {.algorithms = {ConvolutionAlgorithm::direct, ConvolutionAlgorithm::winograd},
                 .fusions = {Fusion::none, Fusion::convolution}});
    ASSERT_EQ(executions.size(), 4U);
    EXPECT_EQ(executions[1].algorithm, ConvolutionAlgorithm::direct);
    EXPECT_EQ(executions[1].fusion, Fusion::convolution);
    EXPECT_EQ(executions[2].algorithm, ConvolutionAlgorithm::winograd);
    EXPECT_EQ(executions[2].fusion, Fusion::none);
    for (const Execution& execution : executions) {
        EXPECT_EQ(execution.mode, Mode::inference);
        EXPECT_EQ(execution.dtype, DataType::f16);
    }
}

TEST(Choices, NumbersOfThreadsAreMeasuredInTurnToo) {
    const auto executions = executions_of({}, {.threads = {1, 2}});
    ASSERT_EQ(executions.size(), 2U);
    EXPECT_EQ(executions[0].threads, 1);
    EXPECT_EQ(executions[1].threads, 2);
}

TEST(Choices, NoneLeavesTheCommonExecutionAlone) {
    EXPECT_EQ(executions_of({.dtype = DataType::bf16}, {}).size(), 1U);
}

}  // namespace
}  // namespace strata
