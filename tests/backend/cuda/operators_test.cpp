// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

class Operators : public ::testing::TestWithParam<std::string> {};
class InnerOperators : public ::testing::TestWithParam<std::string> {};

std::string verify_on_host(const Graph& graph, const Execution& execution) {
    return without_combined(verify_graph(*emulated_backend(), graph, execution));
}

TEST_P(Operators, TrainAsTheReferenceDoes) {
    EXPECT_EQ(verify_on_host(graph_of_problem(GetParam()), kept_execution()), "");
}

TEST_P(Operators, InferAsTheReferenceDoes) {
    EXPECT_EQ(verify_on_host(graph_of_problem(GetParam()), kept_execution(Mode::inference)), "");
}

TEST_P(Operators, TrainInBf16) {
    const Execution execution = kept_execution(Mode::training, DataType::bf16);
    EXPECT_EQ(verify_on_host(graph_of_problem(GetParam()), execution), "");
}

TEST_P(InnerOperators, TrainBetweenConvolutions) {
    for (const ImageLayout layout : {ImageLayout::channels_first, ImageLayout::channels_last}) {
        Execution execution = kept_execution();
        execution.engine.image_layout = layout;
        EXPECT_EQ(verify_on_host(graph_between_convolutions(GetParam()), execution), "");
    }
}

TEST_P(InnerOperators, TrainBetweenConvolutionsInBf16) {
    const Execution execution = kept_execution(Mode::training, DataType::bf16);
    EXPECT_EQ(verify_on_host(graph_between_convolutions(GetParam()), execution), "");
}

INSTANTIATE_TEST_SUITE_P(Each, Operators, ::testing::ValuesIn(operator_problems()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Each, InnerOperators, ::testing::ValuesIn(inner_problems()), name_of_case);

}  // namespace

}  // namespace strata::testing
