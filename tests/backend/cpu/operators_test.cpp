// SPDX-License-Identifier: MIT
#include "tests/backend/cpu/verified.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

class Operators : public ::testing::TestWithParam<std::string> {};
class InnerOperators : public ::testing::TestWithParam<std::string> {};

TEST_P(Operators, TrainAsTheReferenceDoes) {
    const Graph graph = graph_of_problem(GetParam());
    EXPECT_EQ(without_combined(verify_graph(graph, kept_execution())), "");
}

TEST_P(Operators, AnswerAsTheReferenceDoes) {
    const Graph graph = graph_of_problem(GetParam());
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::inference)), "");
}

TEST_P(Operators, TrainInBf16) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    const Graph graph = graph_of_problem(GetParam());
    EXPECT_EQ(without_combined(verify_graph(graph, kept_execution(Mode::training, DataType::bf16))),
              "");
}

TEST_P(InnerOperators, TrainBetweenConvolutions) {
    const Graph graph = graph_between_convolutions(GetParam());
    EXPECT_EQ(without_combined(verify_graph(graph, kept_execution())), "");
}

TEST_P(InnerOperators, TrainBetweenConvolutionsInBf16) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    const Graph graph = graph_between_convolutions(GetParam());
    EXPECT_EQ(without_combined(verify_graph(graph, kept_execution(Mode::training, DataType::bf16))),
              "");
}

INSTANTIATE_TEST_SUITE_P(Each, Operators, ::testing::ValuesIn(operator_problems()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Each, InnerOperators, ::testing::ValuesIn(inner_problems()), name_of_case);

}  // namespace

}  // namespace strata::testing
