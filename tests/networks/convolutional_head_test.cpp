// SPDX-License-Identifier: MIT
#include "networks/convolutional_head.h"

#include "base/error.h"
#include "networks/network.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::testing {

namespace {

Graph named(const std::string& network) {
    return load_network({.network = network, .batch = 2, .dims = {}, .variables = {}});
}

const Layer& layer_called(const Graph& graph, std::string_view name) {
    const auto found = std::ranges::find(graph.layers, name, &Layer::name);
    EXPECT_NE(found, graph.layers.end()) << name;
    return *found;
}

Dims result_of(const Graph& graph, std::string_view name) {
    return graph.tensors[layer_called(graph, name).outputs.front()].tensor.dims;
}

TEST(ConvolutionalHead, AlexNetsLastLayersReadEveryPixel) {
    const Graph before = named("alexnet"), after = named("alexnet@convolutional");
    EXPECT_EQ(after.name, "alexnet@convolutional");
    EXPECT_EQ(after.layers.size(), before.layers.size() + 2);
    EXPECT_EQ(result_of(after, "fc6"), (Dims{2, 4096, 6, 6}));
    EXPECT_EQ(result_of(after, "drop7"), (Dims{2, 4096, 6, 6}));
    EXPECT_EQ(result_of(after, "fc8"), (Dims{2, 1000, 6, 6}));
    EXPECT_EQ(result_of(after, "fc8.average"), (Dims{2, 1000, 1, 1}));
    EXPECT_EQ(result_of(after, "fc8.flatten"), result_of(before, "fc8"));
    // fc6 has the weights of one pixel instead of 36.
    EXPECT_EQ(parameter_count(before) - parameter_count(after), 35 * 256 * 4096);
    for (const Layer& layer : after.layers) {
        EXPECT_FALSE(std::holds_alternative<FullyConnected>(layer.op)) << layer.name;
    }
}

TEST(ConvolutionalHead, FilesAndGeneratorsHaveOneToo) {
    EXPECT_EQ(canonical_network("vgg-16@convolutional"), "vgg-16@convolutional");
    const Graph vgg = named("vgg-16@convolutional");
    EXPECT_LT(parameter_count(vgg), parameter_count(named("vgg-16")) / 3);
}

TEST(ConvolutionalHead, ANetworkWithoutSuchLayersIsRefused) {
    for (const char* const network : {"fc:layers=2@convolutional", "lstm:@convolutional"}) {
        try {
            named(network);
            ADD_FAILURE() << network;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("nothing to make convolutional"),
                      std::string::npos)
                << error.what();
        }
    }
    EXPECT_THROW(named("no-such-net@convolutional"), Error);
}

}  // namespace

}  // namespace strata::testing
