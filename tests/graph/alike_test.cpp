// SPDX-License-Identifier: MIT
#include "graph/alike.h"

#include "networks/network.h"

#include <gtest/gtest.h>

#include <set>

namespace strata {
namespace {

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
    EXPECT_EQ(first[15], 1U);  // its relu is that of the first
}

TEST(FirstAlike, IsAnEarlierLayerWithTheSameOperatorAndSignatureAndNoTwoFirstsAreAlike) {
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
