// SPDX-License-Identifier: MIT
#include "graph/builder.h"
#include "tests/backend/cpu/verified.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

// Networks in which elements are chosen, moved and counted.

namespace strata::testing {
namespace {

class EngineMovement : public ::testing::TestWithParam<DataType> {
    void SetUp() override { STRATA_SKIP_FOR(lack_of(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Each, EngineMovement, ::testing::Values(DataType::f32, DataType::bf16),
                         [](const auto& test) { return std::string(name_of(test.param)); });

// An earlier layer has no gradient if the only path to it leads through integers.
TEST_P(EngineMovement, ANetworkTrainsAfterALayerThatPassesNoGradient) {
    GraphBuilder build("steps");
    TensorId x =
        build.add("first", FullyConnected{.out_features = 12}, {build.input("x", {{6, 8}})});
    x = build.add("floor", Unary{UnaryKind::floor}, {x});
    x = build.add("whole", Cast{DataType::s64}, {x});
    x = build.add("number", Cast{DataType::f32}, {x});
    x = build.add("second", FullyConnected{.out_features = 5}, {x});
    build.add("loss", SoftmaxCrossEntropy{}, {x});
    const Graph graph = build.finish();
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::training, GetParam())), "");
}

TEST_P(EngineMovement, PositionsOfTheLargestChooseRows) {
    GraphBuilder build("routing");
    const TensorId x = build.input("x", {{6, 8}});
    const TensorId scores = build.add("scores", FullyConnected{.out_features = 20}, {x});
    const std::vector<TensorId> chosen = build.place(
        "best", TopK{.k = 2}, {scores}, {{"best", {{6, 2}}}, {"best.at", {{6, 2}, DataType::s64}}});
    const TensorId table = build.constant("table", {{20, 8}}, Role::parameter);
    TensorId rows = build.add_with_operands("rows", Gather{}, {table, chosen[1]});
    rows = build.add("mean", Reduction{.kind = ReductionKind::mean, .axes = {1}}, {rows});
    rows = build.add("flat", Reshape{.dims = {6, 8}}, {rows});
    const TensorId sum = build.add("sum", Reduction{.axes = {1}}, {chosen[0]});
    build.add("weighted", Elementwise{ElementwiseKind::multiply}, {rows, sum});
    const Graph graph = build.finish();
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::training, GetParam())), "");
}

// Three slices of one product, as fused attention projections have them.
TEST_P(EngineMovement, SlicesOfOneTensorAddTheirGradientsUp) {
    GraphBuilder build("slices");
    const TensorId x =
        build.add("all", FullyConnected{.out_features = 48}, {build.input("x", {{4, 16}})});
    std::vector<TensorId> parts;
    for (std::int64_t i = 0; i < 3; ++i) {
        parts.push_back(build.add("part" + std::to_string(i), Slice{{1}, {16 * i}, {16}, {}}, {x}));
    }
    build.add("product", Elementwise{ElementwiseKind::multiply}, parts);
    const Graph graph = build.finish();
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::training, GetParam())), "");
}

// A mask of scores: a comparison, a choice, and sums over the axes that were broadcast.
TEST_P(EngineMovement, AMaskedSoftmaxTrains) {
    GraphBuilder build("mask");
    const TensorId x =
        build.add("scores", FullyConnected{.out_features = 32}, {build.input("x", {{4, 16}})});
    const TensorId limit = build.constant("limit", {{32}}, Role::parameter);
    const TensorId low = build.constant("low", {{1}}, Role::constant);
    const TensorId keep =
        build.add_with_operands("keep", Elementwise{ElementwiseKind::greater}, {x, limit});
    TensorId y = build.add_with_operands("chosen", Select{}, {keep, x, low});
    y = build.add("exp", Unary{UnaryKind::exponential}, {y});
    const TensorId sum = build.add("sum", Reduction{.axes = {-1}}, {y});
    build.add("share", Elementwise{ElementwiseKind::divide}, {y, sum});
    const Graph graph = build.finish();
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::training, GetParam())), "");
}

}  // namespace
}  // namespace strata::testing
