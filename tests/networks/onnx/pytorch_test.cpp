// SPDX-License-Identifier: MIT
// The output of PyTorch's exporters: training form, and the origin of each node.
#include "graph/memory.h"
#include "tests/networks/onnx/import_support.h"

#include <algorithm>

namespace strata {
namespace {

// Like the TorchScript exporter with training=TrainingMode.TRAINING.
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

TEST(OnnxFromPyTorch, ANodeThatTheExportersOptimizerMadeLiesInTheModuleAroundIt) {
    constexpr std::string_view types =
        "['ViT', 'Block', 'torch.nn.modules.activation.ReLU', 'aten.relu.default']";
    OnnxWriter writer;
    writer.input("x", {2, 4})
        .node(node_with_origin("Relu", "node_relu", {"x"}, "r",
                               "['', 'blocks.0', 'blocks.0.act', 'relu']", types))
        .node("Split", {"r"}, {"a", "b"}, {onnx_attribute("axis", std::int64_t{1})},
              "node_Split_404")
        .node(node_with_origin("Mul", "node_mul", {"a", "b"}, "y", "['', 'blocks.0', 'mul']",
                               "['ViT', 'Block', 'aten.mul.Tensor']"))
        .output("y");
    EXPECT_EQ(layer_names(Imported(writer).graph),
              (std::vector<std::string>{"blocks.0.act", "blocks.0.split.0", "blocks.0.split.1",
                                        "blocks.0.mul"}));
}

TEST(OnnxFromPyTorch, AConvolutionWithoutABiasIsGivenNone) {
    // The default exporter without its optimizer writes zeros that are cast and expanded.
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

TEST(OnnxFromPyTorch, TheOnlyNodeOfAnOperationNeedsNoMention) {
    OnnxWriter writer;
    writer.input("x", {2, 3})
        .node(node_with_origin(
            "HardSwish", "node_HardSwish_4", {"x"}, "y", "['', 'act', 'hardswish_1']",
            "['Net', 'torch.nn.modules.activation.Hardswish', 'aten.hardswish.default']"))
        .output("y");
    EXPECT_EQ(layer_names(Imported(writer).graph), (std::vector<std::string>{"act"}));
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
    EXPECT_EQ(graph.layers[0].name, "layer1.0.conv1");  // by its weight, not by its module
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

// ---- the older exporter's names

// Nodes with these names (the last part is the operator), in sequence, as `producer` wrote them. A
// name may state the weight of its module: "/x/Conv md.x.weight".
std::vector<std::string> names_of_chain(std::initializer_list<std::string_view> nodes,
                                        std::string_view producer = "pytorch") {
    OnnxWriter writer;
    writer.input("v0", {2, 4, 8, 8}).weight("w", {4, 4, 1, 1});
    std::string last = "v0";
    for (const std::string_view node : nodes) {
        const std::string name(node.substr(0, node.find(' ')));
        const std::string weight =
            node.find(' ') == node.npos ? "w" : std::string(node.substr(node.find(' ') + 1));
        if (weight != "w") {
            writer.weight(weight, {4, 4, 1, 1});
        }
        std::string op = name.substr(name.rfind('/') + 1);
        op = op.substr(0, op.find('_'));
        std::vector<std::string> inputs = {last};
        if (op == "Conv") {
            inputs.push_back(weight);
        } else if (op == "Add") {
            inputs.emplace_back("v0");
        }
        const std::string result = "of " + name;
        writer.node(op, inputs, {result}, {}, name);
        last = result;
    }
    writer.output(last);
    return layer_names(
        Imported(writer.model() + WireWriter().text(2, std::string(producer)).bytes).graph);
}

using Names = std::vector<std::string>;

TEST(OnnxFromPyTorch, TheOlderExportersNamesBecomeModulePaths) {
    EXPECT_EQ(
        names_of_chain({"/conv1/Conv", "/layer1/layer1.0/conv1/Conv", "/layer1/layer1.0/relu/Relu",
                        "/layer1/layer1.0/Add", "/layer1/layer1.0/relu_1/Relu",
                        "/layer2/layer2.0/downsample/downsample.0/Conv", "/Relu"}),
        (Names{"conv1", "layer1.0.conv1", "layer1.0.relu", "layer1.0.add", "layer1.0.relu_2",
               "layer2.0.downsample.0", "relu"}));
}

TEST(OnnxFromPyTorch, ANumberedModuleStandsForItsParents) {
    // A ModuleList is never called; a Sequential below another module starts a new name.
    EXPECT_EQ(names_of_chain({"/ml.0/Conv", "/features/features.1/block/block.0/block.0.0/Conv",
                              "/features/features.1/block/block.1/Relu", "/features/features.1/Add",
                              "/encoder/layers.0/Relu"}),
              (Names{"ml.0", "features.1.block.0.0", "features.1.block.1", "features.1.add",
                     "encoder.layers.0"}));
}

TEST(OnnxFromPyTorch, AWeightKnowsItsModulesWholePath) {
    EXPECT_EQ(names_of_chain(
                  {"/x/Conv md.x.weight", "/conv/Conv conv.weight", "/conv_1/Conv conv_1.weight"}),
              (Names{"md.x", "conv", "conv_1"}));
}

TEST(OnnxFromPyTorch, AModuleThatIsCalledAgainIsNumberedAsByTheDefaultExporter) {
    EXPECT_EQ(names_of_chain({"/block/conv/Conv block.conv.weight", "/block/relu/Relu",
                              "/block_1/conv/Conv", "/block_1/relu/Relu", "/Add", "/Add_1"}),
              (Names{"block.conv", "block.relu", "block.conv_2", "block.relu_2", "add", "add_2"}));
}

TEST(OnnxFromPyTorch, NodesOfAModuleOfSeveralOperatorsSayWhichTheyAre) {
    EXPECT_EQ(names_of_chain({"/swish/Sigmoid", "/swish/Add", "/fc/Conv", "/fc/Add"}),
              (Names{"swish.sigmoid", "swish.add", "fc", "fc.Add"}));
}

TEST(OnnxFromPyTorch, ANodesOwnNameIsTheAliasOfItsModulePath) {
    OnnxWriter writer;
    writer.input("x", {2}).node("Relu", {"x"}, {"y"}, {}, "/layer1/layer1.0/relu/Relu").output("y");
    const Graph graph = Imported(writer.model() + WireWriter().text(2, "pytorch").bytes).graph;
    EXPECT_EQ(graph.layers[0].name, "layer1.0.relu");
    EXPECT_EQ(graph.layers[0].alias, "/layer1/layer1.0/relu/Relu");
    EXPECT_TRUE(is_called(graph.layers[0], "/layer1/*"));
}

TEST(OnnxFromPyTorch, NamesOfAnotherKindOrAnotherProgramStayAsTheyAre) {
    EXPECT_EQ(names_of_chain({"/a/b/Relu"}, "tf2onnx"), (Names{"/a/b/Relu"}));
    OnnxWriter writer;
    writer.input("x", {2})
        .node("Relu", {"x"}, {"a"}, {}, "model/conv1/Relu")
        .node("Relu", {"a"}, {"b"}, {}, "/model/conv1/BiasAdd")
        .node("Relu", {"b"}, {"c"}, {}, "/model//Relu")
        .node("Relu", {"c"}, {"d"}, {}, "/")
        .node("Relu", {"d"}, {"e"}, {}, "/" + std::string(600, 'a') + "/Relu")
        .output("e");
    const auto names =
        layer_names(Imported(writer.model() + WireWriter().text(2, "pytorch").bytes).graph);
    EXPECT_EQ((Names{names.begin(), names.begin() + 4}),
              (Names{"model/conv1/Relu", "/model/conv1/BiasAdd", "/model//Relu", "/"}));
    EXPECT_TRUE(names[4].starts_with("/aaa"));
}

}  // namespace
}  // namespace strata
