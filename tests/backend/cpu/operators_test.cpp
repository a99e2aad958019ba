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

TEST_P(Operators, InferAsTheReferenceDoes) {
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
// Weight gradients that we compute instead of the library's reference loops: windows and groups of
// any extent, images wider and narrower than a window.
INSTANTIATE_TEST_SUITE_P(
    NarrowGroups, Operators,
    ::testing::Values(
        "convolution(2x32x9x8) out_channels=32 kernel=5x5 groups=32 stride=2x2 pad_begin=1x1 "
        "pad_end=2x2",
        "convolution(2x24x7x7) out_channels=24 kernel=5x5 groups=24 pad_begin=2x2 pad_end=2x2",
        "convolution(1x48x6x4) out_channels=48 kernel=7x7 groups=48 pad_begin=3x3 pad_end=3x3 "
        "bias=false",
        "convolution(2x32x7x7) out_channels=32 kernel=3x3 groups=8 pad_begin=1x1 pad_end=1x1",
        "convolution(2x20x7x7) out_channels=30 kernel=3x3 groups=10 pad_begin=1x1 pad_end=1x1",
        "convolution(2x32x1x1) out_channels=20 kernel=3x3 pad_begin=1x1 pad_end=1x1"),
    name_of_case);
INSTANTIATE_TEST_SUITE_P(
    NarrowGroups, InnerOperators,
    ::testing::Values(
        "convolution(2x32x7x7) out_channels=32 kernel=5x5 groups=32 pad_begin=2x2 pad_end=2x2",
        "convolution(2x32x7x7) out_channels=32 kernel=3x3 groups=8 pad_begin=1x1 pad_end=1x1"),
    name_of_case);
INSTANTIATE_TEST_SUITE_P(Each, InnerOperators, ::testing::ValuesIn(inner_problems()), name_of_case);

}  // namespace

}  // namespace strata::testing
