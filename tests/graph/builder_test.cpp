// SPDX-License-Identifier: MIT
#include "graph/builder.h"

#include "tests/support/error_message.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

TEST(Builder, ParametersAreCreatedAsTheOperatorRequests) {
    const Graph graph = small_chain();
    const GraphTensor& weight = graph.tensors[tensor_named(graph, "conv1.weight")];
    EXPECT_EQ(weight.tensor.dims, (Dims{4, 3, 3, 3}));
    EXPECT_EQ(weight.role, Role::parameter);
    EXPECT_EQ(graph.tensors[tensor_named(graph, "fc2.weight")].tensor.dims, (Dims{10, 64}));
}

TEST(Builder, AResultHasItsLayersName) {
    const Graph graph = small_chain();
    for (const Layer& layer : graph.layers) {
        EXPECT_EQ(graph.tensors[layer.outputs.at(0)].name, layer.name);
    }
}

TEST(Builder, UnreadTensorsAreTheOutputs) {
    const Graph graph = small_chain();
    EXPECT_EQ(graph.outputs, std::vector{tensor_named(graph, "loss")});
}

TEST(Builder, LabelsThatALossRequestsAreInputsOfTheNetwork) {
    GraphBuilder build("loss");
    const TensorId x = build.input("x", {{4, 10}});
    build.add("loss", SoftmaxCrossEntropy{}, {x});
    const Graph graph = build.finish();
    ASSERT_EQ(graph.inputs.size(), 2U);
    EXPECT_EQ(graph.tensors[graph.inputs[1]].name, "loss.labels");
    EXPECT_EQ(graph.tensors[graph.inputs[1]].role, Role::label);
}

TEST(Builder, AMisfitNamesTheLayer) {
    GraphBuilder build("broken");
    const TensorId x = build.input("x", {{1, 3, 4, 4}});
    const auto message = error_of([&] {
        build.add("conv9", Convolution{.out_channels = 4, .kernel = {9, 9}}, {x});
    });
    EXPECT_TRUE(message.starts_with("layer \"conv9\": convolution: ")) << message;
}

TEST(Builder, AnOpaqueLayerHasTheShapesOfItsCaller) {
    GraphBuilder build("foreign");
    const TensorId x = build.input("x", {{1, 3}});
    const auto results = build.place(
        "nms", Opaque{"NonMaxSuppression", "it is not supported"}, {x},
        {{"boxes", {{1, 5, 4}}, Role::activation, {}}, {"scores", {{1, 5}}, Role::activation, {}}});
    const Graph graph = build.finish();
    EXPECT_EQ(graph.layers[0].outputs, results);
    EXPECT_EQ(graph.tensors[results[1]].tensor.dims, (Dims{1, 5}));
    EXPECT_EQ(graph.outputs, results);
}

}  // namespace
}  // namespace strata
