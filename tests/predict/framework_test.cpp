// SPDX-License-Identifier: MIT
#include "predict/framework.h"

#include "base/error.h"
#include "networks/network.h"
#include "networks/text.h"
#include "predict/elementwise_chain.h"
#include "predict/network.h"
#include "predict/quantized.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace strata::testing {

namespace {

using Changes = std::map<std::string, std::string>;

Execution inferring(DataType dtype) {
    Execution execution;
    execution.numerics.mode = Mode::inference;
    execution.numerics.dtype = dtype;
    return execution;
}

Graph inference_of(const std::string& network, std::int64_t batch) {
    return for_inference(
        load_network({.network = network, .batch = batch, .dims = {}, .variables = {}}));
}

NetworkPrediction predicted(const Graph& graph, DataType dtype, const char* device,
                            const Changes& changes) {
    const auto model = model_of(find_description(device), changes_in(changes));
    return predict_network(as_multiplied(graph, changes), inferring(dtype), *model);
}

double milliseconds(const Graph& graph, DataType dtype, const char* device,
                    const Changes& changes) {
    return 1e3 * predicted(graph, dtype, device, changes).time().value;
}

std::string refusal(const char* device, const Changes& changes) {
    try {
        model_of(find_description(device), changes_in(changes));
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Framework, EachHasANameOfItsOwnAndSaysWhatIsNotKnown) {
    std::set<std::string> names;
    for (const Framework& one : frameworks()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_FALSE(one.unknown.empty()) << one.name;
        EXPECT_NE(framework_sentence(one, find_description("v100")).find(one.unknown),
                  std::string::npos);
    }
    EXPECT_EQ(frameworks().front().name, "pytorch");
    EXPECT_NE(framework_sentence(framework_called("pytorch"), find_description("a100-80"))
                  .find("its host needs 40 µs"),
              std::string::npos);
}

TEST(Framework, PyTorchIsWhatPredictionsAssume) {
    const Graph graph = inference_of("resnet-50", 1);
    for (const char* device : {"p100-pcie", "v100", "h100"}) {
        EXPECT_EQ(milliseconds(graph, DataType::f32, device, {}),
                  milliseconds(graph, DataType::f32, device, {{"framework", "pytorch"}}))
            << device;
    }
}

// One image, in ms: NVIDIA's DeepLearningExamples, to which the hosts' times were fitted.
TEST(Framework, OneImageTakesAsLongAsItsHostNeeds) {
    struct Point {
        const char *device, *network, *framework;
        double measured, tolerance;
    };
    constexpr std::array points = {Point{"v100", "resnet-50", "pytorch-amp", 12.8, 0.08},
                                   Point{"t4", "resnet-50", "pytorch-amp", 13.0, 0.1},
                                   Point{"v100", "efficientnet-b0", "pytorch-amp", 17.0, 0.08},
                                   Point{"a100-80", "efficientnet-b0", "pytorch-amp", 11.2, 0.08},
                                   Point{"v100", "resnet-50", "tensorflow", 4.2, 0.1},
                                   Point{"a100-40", "resnet-50", "tensorflow", 4.5, 0.1}};
    for (const Point& point : points) {
        EXPECT_NEAR(milliseconds(inference_of(point.network, 1), DataType::f16, point.device,
                                 {{"framework", point.framework}}) /
                        point.measured,
                    1, point.tolerance)
            << point.network << " on " << point.device << " in " << point.framework;
    }
}

TEST(Framework, WhatFusesMoreTakesLessTime) {
    const Graph graph = inference_of("resnet-50", 128);
    const auto time = [&](const char* framework) {
        return milliseconds(graph, DataType::f16, "rtx-4090", {{"framework", framework}});
    };
    EXPECT_LT(time("pytorch-compiled"), 0.8 * time("graph"));
    EXPECT_LT(time("tensorrt"), time("pytorch-compiled"));
    EXPECT_LE(time("graph"), time("pytorch"));
    EXPECT_LT(time("pytorch"), time("pytorch-amp"));
}

TEST(Framework, WhatNoMeasurementSaysIsRefused) {
    EXPECT_NE(refusal("v100", {{"framework", "caffe"}}).find("known are pytorch"),
              std::string::npos);
    EXPECT_NE(refusal("p100-pcie", {{"framework", "tensorflow"}}).find("--set launch"),
              std::string::npos);
    EXPECT_NE(refusal("tpu-v2", {{"framework", "pytorch"}}).find("is a tpu"), std::string::npos);
    EXPECT_NE(refusal("skylake-8180", {{"products", "int8"}}).find("is a cpu"), std::string::npos);
}

// Twice a half and a half: 2 x 8 x 4 x 4 elements of two bytes, 512 in a tensor.
TEST(ElementwiseChain, MovesWhatItReadsFromOutsideAndWhatIsReadThere) {
    const Graph graph = parse_graph(
        "graph net\n"
        "input x f32 2x8x4x4\n"
        "conv1 = convolution(x) out_channels=8 kernel=1x1\n"
        "bn1 = batch_normalization(conv1)\n"
        "relu1 = activation(bn1)\n"
        "conv2 = convolution(relu1) out_channels=8 kernel=1x1\n"
        "bn2 = batch_normalization(conv2)\n"
        "sum = elementwise(bn2, relu1)\n"
        "relu2 = activation(sum)\n"
        "conv3 = convolution(relu2) out_channels=8 kernel=1x1\n"
        "last = activation(conv3)\n",
        "net.graph");
    const auto chains = elementwise_chains(graph, inferring(DataType::f16).numerics);
    ASSERT_EQ(chains.size(), 2U);
    EXPECT_EQ(chains[0].layers, (std::vector<LayerId>{1, 2}));
    EXPECT_EQ(chains[1].layers, (std::vector<LayerId>{4, 5, 6}));
    const Bytes tensor{512}, statistics{8 * (2 + 2 + 4 + 4)};
    EXPECT_EQ(chains[0].traffic, 2 * tensor + statistics);
    EXPECT_EQ(chains[1].traffic, 3 * tensor + statistics);  // relu1 is read, too
}

// A sum with what is computed from the chain itself, outside of it, is no part of it.
TEST(ElementwiseChain, DoesNotWaitForItself) {
    const Graph graph = parse_graph(
        "graph net\n"
        "input x f32 2x8x4x4\n"
        "a = activation(x)\n"
        "c = convolution(a) out_channels=8 kernel=1x1\n"
        "b = activation(a)\n"
        "d = elementwise(b, c)\n",
        "net.graph");
    const auto chains = elementwise_chains(graph, inferring(DataType::f16).numerics);
    ASSERT_EQ(chains.size(), 1U);
    EXPECT_EQ(chains[0].layers, (std::vector<LayerId>{0, 2}));
}

TEST(Quantized, WeightsOfProductsTakeHalfOfTheMemoryAndOfTheTraffic) {
    const Graph graph = inference_of("bert-large", 1);
    const Changes fp8 = {{"products", "fp8"}};
    const Numerics numerics = inferring(DataType::bf16).numerics;
    const Bytes whole = plan_of(graph, numerics)->footprint.parameters;
    const Bytes narrow = plan_of(as_multiplied(graph, fp8), numerics)->footprint.parameters;
    EXPECT_GT(narrow / whole, 0.5);
    EXPECT_LT(narrow / whole, 0.6);  // embeddings and biases stay
}

// Memory binds with few rows, arithmetic with many; narrowing the inputs takes its time.
TEST(Quantized, WideLayersTakeNotMuchMoreThanHalfOfTheTime) {
    for (const std::int64_t rows : {16, 8192}) {
        const Graph graph = inference_of("fc:layers=4,nodes=16384,inputs=16384,outputs=1000", rows);
        const double f8 = milliseconds(graph, DataType::bf16, "h100", {{"products", "fp8"}});
        const double bf16 = milliseconds(graph, DataType::bf16, "h100", {{"framework", "graph"}});
        EXPECT_LT(f8, 0.75 * bf16) << rows;
        EXPECT_GT(f8, 0.5 * bf16) << rows;
    }
}

TEST(Quantized, WhatEmbedsAndWhatGivesResultsStaysAsItIs) {
    const Graph graph = as_multiplied(inference_of("gpt-2", 1), {{"products", "int8"}});
    std::size_t narrow = 0;
    for (const Layer& layer : graph.layers) {
        const bool reads_narrow = std::ranges::any_of(layer.inputs, [&](TensorId id) {
            return graph.tensors[id].tensor.dtype == DataType::s8;
        });
        narrow += reads_narrow ? 1 : 0;
        EXPECT_FALSE(reads_narrow && std::holds_alternative<Embedding>(layer.op)) << layer.name;
    }
    EXPECT_EQ(narrow, 12U * 6);  // queries, keys, values, their result; two layers of each block
}

TEST(Quantized, TensorRtHoldsImagesBetweenConvolutionsInInt8) {
    const Graph graph = inference_of("resnet-50", 64);
    const double alone = milliseconds(graph, DataType::f16, "h100", {{"framework", "tensorrt"}});
    const double narrow = milliseconds(graph, DataType::f16, "h100",
                                       {{"framework", "tensorrt"}, {"products", "int8"}});
    EXPECT_LT(narrow, 0.75 * alone);
    EXPECT_GT(narrow, 0.4 * alone);
    // Other frameworks leave convolutions as they are.
    const Graph plain = as_multiplied(graph, {{"products", "int8"}});
    EXPECT_TRUE(std::ranges::none_of(plain.tensors, [](const GraphTensor& tensor) {
        return tensor.role == Role::activation && tensor.tensor.dtype == DataType::s8;
    }));
}

TEST(Quantized, ATypeThatTheDeviceLacksIsRefused) {
    EXPECT_NE(refusal("a100-80", {{"products", "fp8"}}).find("f8_peak"), std::string::npos);
    EXPECT_NE(refusal("v100", {{"products", "int8"}}).find("i8_peak"), std::string::npos);
    EXPECT_EQ(refusal("h100", {{"products", "fp8"}}), "");
    EXPECT_NE(refusal("h100", {{"products", "int4"}}).find("fp8 and int8"), std::string::npos);
    EXPECT_THROW(as_multiplied(Graph(), {{"products", "int4"}}), Error);
    const Graph classifier = as_multiplied(inference_of("resnet-50", 1), {{"products", "int8"}});
    EXPECT_TRUE(std::ranges::none_of(classifier.tensors, [](const GraphTensor& tensor) {
        return tensor.tensor.dtype == DataType::s8;
    }));
}

}  // namespace

}  // namespace strata::testing
