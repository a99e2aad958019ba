// SPDX-License-Identifier: MIT
#include "networks/onnx/export.h"

#include "networks/network.h"
#include "networks/onnx/import.h"
#include "networks/text.h"
#include "tests/support/error_message.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>
#include <algorithm>

namespace strata {
namespace {

// Numbers the elements of every tensor.
void count_up(TensorId, std::span<float> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(i % 7) * 0.25F;
    }
}

// The same network after export and import.
Graph round_trip(const Graph& graph) {
    const TemporaryDirectory folder;
    const auto file = folder.path() / (graph.name + ".onnx");
    export_onnx(graph, file, count_up);
    return import_onnx(file);
}

// The description of a layer in `show`.
std::string shown(const Graph& graph, const Layer& layer) {
    std::string text = layer.name + " " + kind_of(layer.op);
    for (const TensorId id : layer.inputs) {
        text += " " + std::string(name_of(graph.tensors[id].role));
    }
    for (const TensorId id : layer.outputs) {
        text += " " + to_text(graph.tensors[id].tensor.dims);
    }
    return text;
}

void expect_same_layers(const Graph& graph) {
    const Graph again = round_trip(graph);
    ASSERT_EQ(again.layers.size(), graph.layers.size());
    for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        EXPECT_EQ(shown(again, again.layers[i]), shown(graph, graph.layers[i]));
    }
    EXPECT_EQ(parameter_count(again), parameter_count(graph));
    EXPECT_EQ(again.name, graph.name);
}

TEST(OnnxExport, AClassifierWithItsLossComesBackTheSame) {
    expect_same_layers(parse_graph(R"(graph small
input data f32 2x3x8x8
label labels s64 2
conv = convolution(data) out_channels=4 kernel=3x3 pad_begin=1x1 pad_end=1x1
norm = batch_normalization(conv)
relu = activation(norm) kind=relu
lrn = lrn(relu)
pool = pooling(lrn) kind=max kernel=2x2 stride=2x2
fc = fully_connected(pool) out_features=10
drop = dropout(fc)
loss = softmax_cross_entropy(drop, labels)
)",
                                   "small.graph"));
}

TEST(OnnxExport, LayersOfSeveralNodesAreFunctionsAndComeBackAsOne) {
    expect_same_layers(parse_graph(R"(graph functions
input data f32 6x2x8
a = recurrent(data) cell=lstm hidden=4 layers=2 direction=bidirectional
b = activation(a) kind=silu
c = attention(b, b, b) heads=2 causal=true
d = layer_normalization(c) kind=root_mean_square shift=false
e = matmul(d, c) transpose_b=true
)",
                                   "functions.graph"));
}

TEST(OnnxExport, MovementsAndFunctionsOfElementsComeBackTheSame) {
    expect_same_layers(parse_graph(R"(graph elements
input data f32 1x4x6x6
input tokens s64 3
a = slice(data) axes=2x3 starts=1x5 extents=4x3 steps=1x-1
b = reduction(a) kind=mean axes=1 keep_axes=false
c = unary(b) kind=exponential
d = expand(c) dims=2x4x3
e = transpose(d) permutation=0x2x1
f = embedding(tokens) rows=9 width=5
g = resize(data) sizes=12x12 interpolation=linear
h = transposed_convolution(g) out_channels=2 kernel=2x2 stride=2x2
i = group_normalization(h) groups=2
j = cast(f) dtype=s32
k = top_k(e) k=2
l = hardmax(e) axis=1
)",
                                   "elements.graph"));
}

TEST(OnnxExport, EveryNetworkOfTheZooComesBackTheSame) {
    for (const char* name : {"squeezenet-1.0", "mobilenet-v2"}) {
        expect_same_layers(
            load_network({.network = name, .batch = 2, .dims = {}, .variables = {}}));
    }
}

TEST(OnnxExport, WeightsAreTheGivenOnesAndThoseTheGraphCarries) {
    Graph graph = parse_graph(
        "graph weights\ninput x f32 2x3\ny = fully_connected(x) "
        "out_features=2 bias=false\n",
        "weights.graph");
    const Graph again = round_trip(graph);
    const auto weight = std::ranges::find(again.tensors, Role::parameter, &GraphTensor::role);
    ASSERT_NE(weight, again.tensors.end());
    ASSERT_TRUE(weight->data.has_value());
    EXPECT_EQ(weight->data->bytes.size(), 6 * sizeof(float));
}

TEST(OnnxExport, AFileThatCannotBeWrittenIsNamed) {
    const Graph graph = parse_graph("graph g\ninput x f32 2\ny = identity(x)\n", "g.graph");
    EXPECT_NE(error_of([&] {
                  export_onnx(graph, "/no/such/folder/g.onnx", count_up);
              }).find("'/no/such/folder/g.onnx' cannot be written"),
              std::string::npos);
}

TEST(OnnxExport, AnOpaqueLayerCannotBeWritten) {
    const Graph graph = parse_graph(
        "graph g\ninput x f32 2\ny -> z f32 2 = opaque(x) foreign_type=\"Loop\"\n", "g");
    EXPECT_NE(error_of([&] { export_onnx(graph, "g.onnx", count_up); }).find("layer \"y\""),
              std::string::npos);
}

}  // namespace
}  // namespace strata
