// SPDX-License-Identifier: MIT
#include "networks/network.h"

#include "base/error.h"
#include "tests/support/error_message.h"
#include "tests/support/networks.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

Graph load(std::string network, std::optional<std::int64_t> batch = {}) {
    return load_network(
        {.network = std::move(network), .batch = batch, .dims = {}, .variables = {}});
}

TEST(Network, AZooNameGivesItsGraphAtTheRequestedBatch) {
    EXPECT_EQ(batch_of(load("alexnet")), 1);
    EXPECT_EQ(batch_of(load("alexnet", 16)), 16);
    EXPECT_EQ(parameter_count(load("alexnet", 16)), 60'965'224);
}

TEST(Network, AnOperatorInOneLineIsANetworkOfOneLayer) {
    const Graph graph = load("convolution(32x96x27x27) out_channels=256 kernel=5x5 groups=2");
    ASSERT_EQ(graph.layers.size(), 1U);
    EXPECT_EQ(graph.layers[0].name, "convolution");
    EXPECT_EQ(graph.tensors[graph.inputs.at(0)].tensor.dims, (Dims{32, 96, 27, 27}));
    EXPECT_EQ(graph.tensors[graph.outputs.at(0)].tensor.dims, (Dims{32, 256, 23, 23}));
    EXPECT_EQ(batch_of(load("conv:n32c96h27k256r5p2", 8)), 8);
}

TEST(Network, OperandsOfOneLineKeepTheirRoles) {
    const Graph graph = load("matmul(8x64, 64x10:parameter)");
    EXPECT_EQ(parameter_count(graph), 640);
    EXPECT_EQ(graph.inputs.size(), 1U);
    const Graph loss = load("softmax_cross_entropy(4x10)");
    EXPECT_EQ(loss.inputs.size(), 2U);
}

TEST(Network, AnOpaqueOperatorAloneIsRefused) {
    EXPECT_EQ(error_of([] { load("opaque(1x2)"); }),
              "an opaque operator alone cannot be computed; name a known one");
}

TEST(Network, AnUnknownNameIsRefusedWithTheNearestName) {
    EXPECT_NE(error_of([] { load("alexnt"); }).find("\"alexnet\""), std::string::npos);
    EXPECT_NE(error_of([] { load("squeezenet-1.1"); }).find("squeezenet-1.0"), std::string::npos);
}

TEST(Network, AFileOfAnUnknownKindIsRefusedWithTheKnownExtensions) {
    const TemporaryDirectory folder;
    const std::string path = folder.write("model.pb", "x").string();
    EXPECT_NE(error_of([&] { load(path); }).find("use one of .onnx"), std::string::npos);
}

TEST(Network, AMissingFileIsNamed) {
    EXPECT_NE(error_of([] { load("/nowhere/model.onnx"); }).find("/nowhere/model.onnx"),
              std::string::npos);
}

TEST(Network, AnEmptyBatchIsRefused) {
    EXPECT_EQ(error_of([] { load("alexnet", 0); }),
              "alexnet: a batch of 0 is empty; use 1 or more");
}

TEST(Network, SettingsThatANetworkCannotTakeAreRefused) {
    EXPECT_NE(
        error_of([] {
            load_network({.network = "alexnet", .batch = {}, .dims = {{"n", 3}}, .variables = {}});
        }).find("no named dimension \"n\""),
        std::string::npos);
    EXPECT_NE(error_of([] {
                  load_network(
                      {.network = "alexnet", .batch = {}, .dims = {}, .variables = {{"N", "3"}}});
              }).find("no variable \"N\""),
              std::string::npos);
}

TEST(ForInference, ALossBecomesASoftmaxWithoutLabels) {
    const Graph graph = for_inference(small_chain());
    validate(graph);
    EXPECT_TRUE(std::holds_alternative<Softmax>(graph.layers.back().op));
    EXPECT_EQ(graph.layers.back().name, "softmax");
    EXPECT_EQ(graph.inputs.size(), 1U);
    EXPECT_EQ(graph.tensors[graph.outputs.at(0)].tensor.dims, (Dims{2, 10}));
    EXPECT_EQ(parameter_count(graph), parameter_count(small_chain()));
}

TEST(ForInference, ANetworkWithoutALossStaysAsItIs) {
    EXPECT_EQ(for_inference(small_diamond()).layers.size(), small_diamond().layers.size());
    EXPECT_EQ(for_inference(small_diamond()).outputs, small_diamond().outputs);
}

TEST(ForInference, EveryZooNetworkAnswersWithoutLabels) {
    for (const ZooNetwork& network : zoo()) {
        const Graph graph = for_inference(network.build(1));
        validate(graph);
        for (const TensorId input : graph.inputs) {
            EXPECT_NE(graph.tensors[input].role, Role::label) << network.name;
        }
    }
}

}  // namespace
}  // namespace strata
