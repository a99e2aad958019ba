// SPDX-License-Identifier: MIT
#include "graph/fuse.h"

#include "tests/graph/executions.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// "first: follower follower", one line per chain.
std::string chains_in(const Graph& graph, Mode mode) {
    std::string text;
    for (const FusedChain& chain : fused_chains(graph, mode)) {
        text += graph.layers[chain.first].name + ":";
        for (const LayerId follower : chain.followers) {
            text += " " + graph.layers[follower].name;
        }
        text += "\n";
    }
    return text;
}

TEST(Fuse, AConvolutionIsFusedWithItsRelu) {
    EXPECT_EQ(chains_in(small_chain(), Mode::training), "conv1: relu1\n");
    EXPECT_EQ(chains_in(small_chain(), Mode::inference), "conv1: relu1\n");
}

// data -> conv -> norm -> (+ data) -> relu -> head.
Graph shortcut() {
    GraphBuilder build("shortcut");
    const TensorId data = build.input("data", image);
    TensorId x = build.add("conv", pointwise, {data});
    x = build.add("norm", BatchNormalization{}, {x});
    x = build.add("sum", Elementwise{}, {x, data});
    x = build.add("relu", Activation{}, {x});
    build.add("head", pointwise, {x});
    return build.finish();
}

TEST(Fuse, ANormalisationIsFusedOnlyInInference) {
    EXPECT_EQ(chains_in(shortcut(), Mode::inference), "conv: norm sum relu\n");
    EXPECT_EQ(chains_in(shortcut(), Mode::training), "");
}

TEST(Fuse, TensorsThatOthersReadAndOutputsAreKept) {
    GraphBuilder build("read twice");
    const TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    const TensorId y = build.add("relu", Activation{}, {x});
    build.add("join", Concat{}, {x, y});
    EXPECT_EQ(chains_in(build.finish(), Mode::inference), "");

    Graph graph = small_chain();
    graph.outputs.push_back(graph.layers[layer_named(graph, "conv1")].outputs[0]);
    EXPECT_EQ(chains_in(graph, Mode::inference), "");
}

TEST(Fuse, TheLaterOfTwoConvolutionsIsFusedWithTheirSum) {
    GraphBuilder build("two branches");
    const TensorId data = build.input("data", image);
    const TensorId left = build.add("left", pointwise, {data});
    const TensorId right = build.add("right", pointwise, {data});
    build.add("relu", Activation{}, {build.add("sum", Elementwise{}, {left, right})});
    EXPECT_EQ(chains_in(build.finish(), Mode::training), "right: sum relu\n");
}

TEST(Fuse, OtherFunctionsAndBroadcastSumsAreNotFused) {
    GraphBuilder build("apart");
    const TensorId data = build.input("data", image);
    const TensorId row = build.input("row", {{2, 4, 1, 1}});
    TensorId x = build.add("conv1", pointwise, {data});
    x = build.add("silu", Activation{.kind = ActivationKind::silu}, {x});
    x = build.add("conv2", pointwise, {x});
    x = build.add("sum", Elementwise{}, {x, row});
    x = build.add("conv3", pointwise, {x});
    x = build.add("per element", BatchNormalization{.scope = NormalizationScope::per_activation},
                  {x});
    EXPECT_EQ(chains_in(build.finish(), Mode::inference), "");
}

TEST(Fuse, ARepeatedOrMisplacedFollowerEndsTheChain) {
    GraphBuilder build("order");
    TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    x = build.add("relu1", Activation{}, {x});
    x = build.add("relu2", Activation{}, {x});
    build.add("norm", BatchNormalization{}, {x});
    EXPECT_EQ(chains_in(build.finish(), Mode::inference), "conv: relu1\n");
}

}  // namespace
}  // namespace strata
