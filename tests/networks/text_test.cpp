// SPDX-License-Identifier: MIT
#include "networks/text.h"

#include "base/error.h"
#include "networks/network.h"
#include "op/problem.h"
#include "tests/support/error_message.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// A layer as a reader sees it, independent of its tensors' numbers.
std::vector<std::string> layer_words(const Graph& graph, const Layer& layer) {
    std::vector<std::string> words = {layer.name,
                                      to_text(problem_of(layer.op, signature_of(graph, layer)))};
    for (const auto* ids : {&layer.inputs, &layer.outputs}) {
        for (const TensorId id : *ids) {
            const GraphTensor& tensor = graph.tensors[id];
            words.push_back(tensor.name + " " + std::string(name_of(tensor.role)) + " " +
                            std::string(name_of(tensor.tensor.dtype)) + " " +
                            to_text(tensor.tensor.dims));
        }
    }
    return words;
}

std::vector<std::string> names_of(const Graph& graph, const std::vector<TensorId>& ids) {
    std::vector<std::string> names;
    for (const TensorId id : ids) {
        names.push_back(graph.tensors[id].name);
    }
    return names;
}

void expect_round_trip(const Graph& graph) {
    const std::string text = to_text(graph);
    const Graph again = parse_graph(text, "again.graph");
    EXPECT_EQ(to_text(again), text);
    EXPECT_EQ(again.name, graph.name);
    EXPECT_EQ(again.tensors.size(), graph.tensors.size());
    EXPECT_EQ(names_of(again, again.inputs), names_of(graph, graph.inputs));
    EXPECT_EQ(names_of(again, again.outputs), names_of(graph, graph.outputs));
    ASSERT_EQ(again.layers.size(), graph.layers.size());
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        EXPECT_EQ(again.layers[id].op, graph.layers[id].op);
        EXPECT_EQ(layer_words(again, again.layers[id]), layer_words(graph, graph.layers[id]));
    }
}

std::string refusal_of(std::string_view text) {
    return error_of([&] { parse_graph(text, "x.graph"); });
}

TEST(GraphText, AliasesAndSourceLinesFollowTheirLayer) {
    Graph graph = small_chain();
    graph.layers[0].alias = "node_Conv_7";
    graph.layers[0].source = "my net.py:12";
    graph.layers.back().source = "net.py:30";
    const std::string text = to_text(graph);
    EXPECT_NE(text.find("\nalias node_Conv_7\nsource \"my net.py:12\"\n"), std::string::npos)
        << text;
    const Graph again = parse_graph(text, "again.graph");
    EXPECT_EQ(again.layers[0].alias, "node_Conv_7");
    EXPECT_EQ(again.layers[0].source, "my net.py:12");
    EXPECT_EQ(again.layers.back().source, "net.py:30");
    EXPECT_EQ(again.layers.back().alias, "");
    expect_round_trip(graph);
    EXPECT_NE(refusal_of("input data f32 1x3\nalias odd\n").find("put it below its layer's line"),
              std::string::npos);
}

TEST(GraphText, IsOneItemALine) {
    EXPECT_EQ(to_text(small_chain()),
              "graph chain\n"
              "input data f32 2x3x8x8\n"
              "label labels s64 2\n"
              "conv1 = convolution(data) out_channels=4 kernel=3x3 pad_begin=1x1 pad_end=1x1\n"
              "relu1 = activation(conv1)\n"
              "pool1 = pooling(relu1) kernel=2x2 stride=2x2\n"
              "fc2 = fully_connected(pool1) out_features=10\n"
              "loss = softmax_cross_entropy(fc2, labels)\n"
              "output loss\n");
}

TEST(GraphText, EveryZooNetworkComesBackEqual) {
    for (const ZooNetwork& network : zoo()) {
        SCOPED_TRACE(network.name);
        expect_round_trip(network.build(2));
    }
}

TEST(GraphText, SharedParametersAndForeignNamesComeBack) {
    GraphBuilder build("tied \"weights\"");
    TensorId x = build.input("data 0", {{2, 8}});
    const TensorId weight = build.constant("w;,=\n", {{8, 8}}, Role::parameter);
    const FullyConnected tied = {.out_features = 8, .bias = false};
    x = build.add_with_operands("input", tied, {x, weight});
    x = build.add_with_operands("->", tied, {x, weight});
    build.add("output", BatchNormalization{}, {x});
    expect_round_trip(build.finish());
}

TEST(GraphText, OpaqueLayersKeepTheirStatedShapes) {
    GraphBuilder build("foreign");
    const TensorId x = build.input("x", {{1, 3}});
    build.place("nms", Opaque{"NonMax Suppression", "it is \"not\" known"}, {x},
                {{"boxes", {{1, 5, 4}}, Role::activation},
                 {"scores", {{1, 0}, DataType::s64}, Role::activation}});
    build.place("sink", Opaque{"Print", "it has no result"}, {x}, {});
    expect_round_trip(build.finish());
}

TEST(GraphText, ConstantsAndUnreadTensorsComeBack) {
    GraphBuilder build("constants");
    const TensorId x = build.input("x", {{2, 4}});
    const TensorId scale = build.constant("scale", {{4}}, Role::constant);
    build.add("scaled", Elementwise{ElementwiseKind::multiply}, {x, scale});
    build.constant("unread", {{}}, Role::statistic);
    build.input("also unread", {{2}}, Role::label);
    expect_round_trip(build.finish());
}

TEST(GraphText, CommentsBlankLinesAndForeignLineEndsAreFree) {
    const Graph graph = parse_graph(
        "# a comment\r\n\r\n  graph g\r\n\tinput x f32 2x4\r\n y=activation( x ) \r\n", "x.graph");
    EXPECT_EQ(graph.name, "g");
    EXPECT_EQ(names_of(graph, graph.outputs), std::vector<std::string>{"y"});
}

TEST(GraphText, ABatchReplacesTheOneOfTheFile) {
    const std::string text =
        "input x f32 2x4x3\n"
        "label l s64 2\n"
        "r = reshape(x) dims=2x12\n"
        "odd -> o f32 2x5 = opaque(r) foreign_type=\"Odd\"\n"
        "loss = softmax_cross_entropy(r, l)\n";
    const Graph graph = parse_graph(text, "x.graph", 7);
    for (const GraphTensor& tensor : graph.tensors) {
        EXPECT_TRUE(tensor.tensor.dims.empty() || tensor.tensor.dims[0] == 7) << tensor.name;
    }
    EXPECT_EQ(batch_of(parse_graph(text, "x.graph")), 2);
}

TEST(GraphText, AMistakeNamesFileLineAndFix) {
    EXPECT_EQ(refusal_of("graph g\ninput conv1 f32 2x4\ny = activation(con1)\n"),
              "x.graph:3: there is no tensor \"con1\" so far; did you mean \"conv1\"?");
    EXPECT_EQ(refusal_of("inptu x f32 2x4"),
              "x.graph:1: \"inptu\" does not start an item; did you mean \"input\"?");
    EXPECT_EQ(refusal_of("input x f32 2x4\ninput x f32 2x4"),
              "x.graph:2: tensor \"x\" already exists; give this one a unique name");
    EXPECT_EQ(refusal_of("input x f32 2x4\ny = activation(x"),
              "x.graph:2: the line ends where ',' is missing; add it");
    EXPECT_EQ(refusal_of("input x f32 2x4 5"),
              "x.graph:1: \"5\" is left over at the end of the line; remove it");
    EXPECT_EQ(refusal_of("input x f32"),
              "x.graph:1: the line ends where a shape such as 32x3x8x8 is missing; add it");
    EXPECT_EQ(refusal_of("input x f32 2x4\ny = opaque(x)\nz -> a, b = opaque(x)"),
              "x.graph:3: the shape of \"a\" is unknown; state it, as in \"-> a f32 1x8 = "
              "opaque(...)\"");
}

TEST(GraphText, WhatTheOperatorsComplainAboutGetsItsPlaceToo) {
    EXPECT_TRUE(refusal_of("input x f32 2x4\ny = activation(x) knid=relu")
                    .starts_with("x.graph:2: activation: "));
    EXPECT_TRUE(refusal_of("input x f32 2x4\ny = convolution(x) out_channels=4 kernel=3x3")
                    .starts_with("x.graph:2: layer \"y\": convolution: "));
    EXPECT_TRUE(refusal_of("input x f32 2x-4").starts_with("x.graph:1: shape 2x-4"));
    EXPECT_TRUE(refusal_of("input x f99 2x4").starts_with("x.graph:1: \"f99\" is not a data type"));
}

TEST(GraphText, HostileTextIsRefusedAndNotFollowed) {
    EXPECT_NE(refusal_of(std::string(2000, 'a') + " = identity(x)").find("use at most 1024"),
              std::string::npos);
    EXPECT_NE(refusal_of("\"never closed = identity(x)").find("has no end"), std::string::npos);
    EXPECT_NE(refusal_of("input x f32 " + std::string(200, '1') + "x2").find("is not a shape"),
              std::string::npos);
    std::string axes = "1";
    for (int i = 0; i < 100; ++i) {
        axes += "x1";
    }
    EXPECT_NE(refusal_of("input x f32 " + axes).find("use at most 32"), std::string::npos);
    EXPECT_NE(refusal_of("input x f32 4294967296x4294967296").find("make it smaller"),
              std::string::npos);
    EXPECT_NE(refusal_of(std::string(max_graph_text + 1, '\n')).find("more than a network's text"),
              std::string::npos);
    EXPECT_NE(refusal_of(std::string_view("\0\xff\x1b[2J", 6)), "no error");
}

TEST(GraphText, ATruncatedFileIsNeverTakenForAnother) {
    const std::string text = to_text(small_chain());
    for (std::size_t length = 0; length < text.size(); ++length) {
        const std::string_view part = std::string_view(text).substr(0, length);
        try {
            validate(parse_graph(part, "x.graph"));
        } catch (const Error& error) {
            EXPECT_TRUE(std::string_view(error.what()).starts_with("x.graph")) << error.what();
        }
    }
}

}  // namespace
}  // namespace strata
