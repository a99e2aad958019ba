// SPDX-License-Identifier: MIT
#include "graph/graph.h"

#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Graph, ASignatureHasTheLayersShapesAndRoles) {
    const Graph graph = small_chain();
    const Signature signature = signature_of(graph, graph.layers[layer_named(graph, "conv1")]);
    ASSERT_EQ(signature.inputs.size(), 3U);
    EXPECT_EQ(signature.inputs[0], (Operand{{{2, 3, 8, 8}}, Role::input}));
    EXPECT_EQ(signature.inputs[1].role, Role::parameter);
    EXPECT_EQ(signature.outputs.at(0).dims, (Dims{2, 4, 8, 8}));
}

TEST(Graph, ConsumersAndProducersMirrorEachOther) {
    const Graph graph = small_diamond();
    const auto consumers = consumers_of(graph);
    const auto producers = producers_of(graph);
    const TensorId stem = tensor_named(graph, "stem");
    EXPECT_EQ(consumers[stem],
              (std::vector{layer_named(graph, "left"), layer_named(graph, "right")}));
    EXPECT_EQ(producers[stem], layer_named(graph, "stem"));
    EXPECT_EQ(producers[tensor_named(graph, "data")], std::nullopt);
    EXPECT_TRUE(consumers[tensor_named(graph, "join")].empty());
}

TEST(Graph, ALayerThatReadsATensorTwiceIsOneConsumer) {
    GraphBuilder build("square");
    const TensorId x = build.input("x", {{2, 2}});
    build.add("square", Elementwise{ElementwiseKind::multiply}, {x, x});
    EXPECT_EQ(consumers_of(build.finish())[x], std::vector<LayerId>{0});
}

TEST(Graph, TheBatchIsTheOutermostExtentOfTheFirstInput) {
    EXPECT_EQ(batch_of(small_chain(7)), 7);
    EXPECT_EQ(batch_of(Graph{}), 1);
}

TEST(Graph, OnlyTrainedValuesAreParameters) {
    GraphBuilder build("normalised");
    const TensorId x = build.input("x", {{2, 8, 4, 4}});
    build.add("bn", BatchNormalization{}, {x});
    EXPECT_EQ(parameter_count(build.finish()), 16);  // scale and shift, not mean and variance
    EXPECT_EQ(parameter_count(small_chain()), 4 * 27 + 4 + 640 + 10);
}

}  // namespace
}  // namespace strata
