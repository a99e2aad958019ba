// SPDX-License-Identifier: MIT
#include "graph/graph.h"
#include "networks/network.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

#include <set>

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

Graph network(const std::string& name) {
    return load_network({.network = name, .batch = 2, .dims = {}, .variables = {}});
}

// fc, relu and the last fc with its loss: the first of eight hidden layers reads another width.
TEST(FirstAlike, FindsTheRepeatedLayersOfADeepNetwork) {
    const Graph graph = network("fc:layers=8,nodes=16,inputs=32,outputs=4");
    const auto first = first_alike(graph);
    EXPECT_EQ(std::set(first.begin(), first.end()).size(), 5U);
    EXPECT_EQ(first[2], 2U);   // the second fc
    EXPECT_EQ(first[14], 2U);  // the eighth
    EXPECT_EQ(first[15], 1U);  // its relu equals the first
}

TEST(FirstAlike, IsAnEarlierEqualLayerAndNoTwoFirstsAreEqual) {
    for (const char* name : {"alexnet", "resnet-50", "googlenet", "lstm:layers=3"}) {
        const Graph graph = network(name);
        const auto first = first_alike(graph);
        for (LayerId i = 0; i < graph.layers.size(); ++i) {
            const Layer& layer = graph.layers[i];
            ASSERT_LE(first[i], i);
            EXPECT_EQ(first[first[i]], first[i]);
            EXPECT_EQ(layer.op, graph.layers[first[i]].op);
            EXPECT_EQ(signature_of(graph, layer), signature_of(graph, graph.layers[first[i]]));
            for (LayerId j = 0; first[i] == i && j < i; ++j) {
                EXPECT_FALSE(layer.op == graph.layers[j].op &&
                             signature_of(graph, layer) == signature_of(graph, graph.layers[j]))
                    << name << " " << layer.name;
            }
        }
    }
}

}  // namespace
}  // namespace strata
