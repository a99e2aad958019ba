// SPDX-License-Identifier: MIT
// The output of PyTorch's exporters: training form, and the origin of each node.
#include "graph/memory.h"
#include "tests/networks/onnx/import_support.h"

#include <algorithm>

namespace strata {
namespace {

// As the TorchScript exporter writes with training=TrainingMode.TRAINING.
OnnxWriter training_export() {
    OnnxWriter writer;
    writer.input("x", {2, 3, 8, 8})
        .weight("conv.weight", {4, 3, 3, 3})
        .weight("bn.weight", {4})
        .weight("bn.bias", {4})
        .weight("bn.running_mean", {4})
        .weight("bn.running_var", {4})
        .node("Conv", {"x", "conv.weight"}, {"c"}, {onnx_attribute("pads", {1, 1, 1, 1})}, "conv")
        .node("BatchNormalization",
              {"c", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"},
              {"n", "n_mean", "n_var"},
              {onnx_attribute("training_mode", std::int64_t{1}), onnx_attribute("momentum", 0.8F)},
              "bn")
        .node("Constant", {}, {"ratio"},
              {onnx_attribute_tensor("value", onnx_floats("", {}, {0.3F}))})
        .node("Constant", {}, {"training"},
              {onnx_attribute_tensor(
                  "value", WireWriter().integer(2, 9).text(9, std::string_view("\1", 1)))})
        .node("Dropout", {"n", "ratio", "training"}, {"y", "mask"}, {}, "drop")
        .output("y");
    return writer;
}

TEST(OnnxFromPyTorch, ATrainingExportHasTheOrdinaryLayers) {
    const Imported imported(training_export());
    ASSERT_EQ(imported.graph.layers.size(), 3U);
    EXPECT_NEAR(imported.op<BatchNormalization>(1).momentum, 0.8, 1e-6);
    EXPECT_EQ(imported.tensor("bn.running_mean").role, Role::statistic);
    EXPECT_EQ(imported.tensor("bn.weight").role, Role::parameter);
    EXPECT_NEAR(imported.op<Dropout>(2).probability, 0.3, 1e-6);
    EXPECT_TRUE(imported.graph.training_doubts.empty());
    EXPECT_GT(footprint_of(imported.graph, {}).gradients, Bytes{});
}

TEST(OnnxFromPyTorch, RunningStatisticsThatAreResultsAreReadAfterTheNormalisation) {
    OnnxWriter writer = training_export();
    writer.output("n_mean").output("n_var");
    const Imported imported(writer);
    ASSERT_EQ(imported.graph.outputs.size(), 3U);
    EXPECT_EQ(imported.dims("n_mean"), (Dims{4}));
    EXPECT_EQ(std::ranges::count_if(
                  imported.graph.layers,
                  [](const Layer& layer) { return std::holds_alternative<Opaque>(layer.op); }),
              0);
}

// A node with the metadata of the default exporter.
WireWriter node_with_origin(std::string_view op, std::string_view name,
                            std::initializer_list<std::string_view> inputs, std::string_view output,
                            std::string_view scopes, std::string_view types,
                            std::string_view rule = {}) {
    WireWriter node;
    for (const std::string_view input : inputs) {
        node.text(1, input);
    }
    const auto entry = [&](std::string_view key, std::string_view value) {
        node.message(9, WireWriter().text(1, key).text(2, value));
    };
    node.text(2, output).text(3, name).text(4, op);
    entry("pkg.torch.onnx.name_scopes", scopes);
    entry("pkg.torch.onnx.class_hierarchy", types);
    entry("pkg.torch.onnx.stack_trace",
          "File \"/lib/torchvision/models/resnet.py\", line 285, in forward\n    return x\n"
          "  File \"/lib/torchvision/models/resnet.py\", line 93, in forward\n    out = f(x)\n"
          "  File \"/lib/torch/nn/modules/conv.py\", line 553, in forward\n    return g(x)");
    if (!rule.empty()) {
        entry("pkg.onnxscript.rewriter.rule_name", rule);
    }
    return node;
}

constexpr std::string_view block_types =
    "['ResNet', 'torch.nn.modules.container.Sequential', 'BasicBlock', "
    "'torch.nn.modules.activation.ReLU', 'aten.relu.default']";

OnnxWriter default_export(std::string_view rule = {}) {
    OnnxWriter writer;
    writer.input("x", {2, 3, 8, 8})
        .weight("layer1.0.conv1.weight", {3, 3, 1, 1})
        .node(node_with_origin("Conv", "node_Conv_507", {"x", "layer1.0.conv1.weight"}, "c",
                               rule.empty()
                                   ? "['', 'layer1', 'layer1.0', 'layer1.0.conv1', 'conv2d_1']"
                                   : "['', 'layer1', 'layer1.0', 'layer1.0.bn1', 'batch_norm_1']",
                               "['ResNet', 'torch.nn.modules.container.Sequential', 'BasicBlock', "
                               "'torch.nn.modules.conv.Conv2d', 'aten.conv2d.default']",
                               rule))
        .node(node_with_origin("Relu", "node_relu", {"c"}, "r",
                               "['', 'layer1', 'layer1.0', 'layer1.0.relu', 'relu_4']",
                               block_types))
        .node(node_with_origin("Add", "node_add_3", {"r", "x"}, "a",
                               "['', 'layer1', 'layer1.0', 'add_3']",
                               "['ResNet', 'torch.nn.modules.container.Sequential', 'BasicBlock', "
                               "'aten.add.Tensor']"))
        .node(node_with_origin("Relu", "node_relu_1", {"a"}, "y",
                               "['', 'layer1', 'layer1.0', 'layer1.0.relu', 'relu_5']",
                               block_types))
        .output("y");
    return writer;
}

std::vector<std::string> layer_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const Layer& layer : graph.layers) {
        names.push_back(layer.name);
    }
    return names;
}

TEST(OnnxFromPyTorch, LayersAreNamedByTheirModules) {
    const Graph graph = Imported(default_export()).graph;
    EXPECT_EQ(layer_names(graph), (std::vector<std::string>{"layer1.0.conv1", "layer1.0.relu",
                                                            "layer1.0.add", "layer1.0.relu_2"}));
    EXPECT_EQ(graph.layers[0].alias, "node_Conv_507");
    EXPECT_EQ(graph.layers[0].source, "models/resnet.py:93");
}

TEST(OnnxFromPyTorch, AConvolutionWithoutABiasIsGivenNone) {
    // As written by the default exporter without its optimizer: zeros, cast and expanded.
    OnnxWriter writer;
    writer.input("x", {2, 3, 8, 8})
        .weight("conv1.weight", {4, 3, 1, 1})
        .integers("four", {4})
        .node("Constant", {}, {"zero"}, {onnx_attribute("value_float", 0.0F)})
        .node("CastLike", {"zero", "x"}, {"typed"})
        .node("Expand", {"typed", "four"}, {"zeros"})
        .node(node_with_origin("Conv", "node_conv2d", {"x", "conv1.weight", "zeros"}, "y",
                               "['', 'conv1', 'conv2d']",
                               "['Net', 'torch.nn.modules.conv.Conv2d', 'aten.conv2d.default']"))
        .output("y");
    const Imported imported(writer);
    ASSERT_EQ(imported.graph.layers.size(), 1U);
    EXPECT_FALSE(imported.op<Convolution>().bias);
    EXPECT_EQ(parameter_count(imported.graph), 12);
}

TEST(OnnxFromPyTorch, MinorNodesOfAnOperationSayWhatTheyAre) {
    constexpr std::string_view scopes = "['', 'attention', 'scaled_dot_product_attention_1']";
    constexpr std::string_view types = "['Net', 'Attention', 'aten.scaled_dot_product_attention']";
    OnnxWriter writer;
    writer.input("x", {2, 3, 3})
        .node(node_with_origin("MatMul", "node_MatMul_7", {"x", "x"}, "s", scopes, types))
        .node(node_with_origin("Softmax", "node_Softmax_8", {"s"}, "p", scopes, types))
        .node(node_with_origin("MatMul", "node_scaled_dot_product_attention_1", {"p", "x"}, "y",
                               scopes, types))
        .output("y");
    EXPECT_EQ(layer_names(Imported(writer).graph),
              (std::vector<std::string>{"attention.scaled_dot_product_attention",
                                        "attention.scaled_dot_product_attention.Softmax",
                                        "attention.scaled_dot_product_attention_2"}));
}

TEST(OnnxFromPyTorch, ALayerIsFoundByWhatItsFileCallsIt) {
    const Graph graph = Imported(default_export()).graph;
    EXPECT_TRUE(is_called(graph.layers[0], "node_Conv_*"));
    EXPECT_TRUE(is_called(graph.layers[0], "layer1.0.conv?"));
    EXPECT_FALSE(is_called(graph.layers[1], "node_Conv_*"));
    const Graph one = slice(graph, "node_add_3");
    EXPECT_EQ(layer_names(one), (std::vector<std::string>{"layer1.0.add"}));
    EXPECT_EQ(one.layers[0].alias, "node_add_3");
    EXPECT_EQ(one.layers[0].source, "models/resnet.py:93");
}

TEST(OnnxFromPyTorch, AFoldedNormalisationLeavesADoubtAboutTraining) {
    const Graph graph = Imported(default_export("FuseBatchNormIntoConv")).graph;
    EXPECT_EQ(graph.layers[0].name, "layer1.0.conv1");  // by its weight: the module is the other's
    ASSERT_EQ(graph.training_doubts.size(), 1U);
    EXPECT_TRUE(graph.training_doubts[0].starts_with("1 convolution of the file absorbed"));
    EXPECT_EQ(slice(graph, "*").training_doubts, graph.training_doubts);
}

TEST(OnnxFromPyTorch, DamagedOriginsAreOnlyNotUsed) {
    for (const std::string_view scopes : {"", "[", "['", "[]", "['']", "\"", "['', 'a"}) {
        OnnxWriter writer;
        writer.input("x", {1})
            .node(node_with_origin("Relu", "r", {"x"}, "y", scopes, "['"))
            .output("y");
        EXPECT_EQ(Imported(writer).graph.layers.size(), 1U) << scopes;
    }
}

}  // namespace
}  // namespace strata
