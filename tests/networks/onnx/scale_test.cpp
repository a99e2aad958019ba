// SPDX-License-Identifier: MIT
// Files of a size or structure for which quadratic algorithms take minutes.
#include "graph/fuse.h"
#include "graph/memory.h"
#include "networks/onnx/file/model.h"
#include "networks/text.h"
#include "op/problem.h"
#include "tests/networks/onnx/import_support.h"

#include <fmt/format.h>
#include <algorithm>

namespace strata {
namespace {

constexpr int many = 100'000;

// Computes everything that `show` computes about a network, and the text of its problems, which
// every run stores.
void look_at(const Graph& graph) {
    for (const Mode mode : {Mode::training, Mode::inference}) {
        Execution execution;
        execution.numerics.mode = mode;
        footprint_of(graph, execution);
        fused_chains(graph, mode);
    }
    for (const Layer& layer : graph.layers) {
        problem_of(layer.op, signature_of(graph, layer));
    }
}

enum class Order { forward, backward };

OnnxWriter chain(Order order, std::string_view name = {}) {
    OnnxWriter writer;
    writer.input("0", {1, 4}).output(std::to_string(many));
    for (int i = 0; i < many; ++i) {
        const int at = order == Order::forward ? i : many - 1 - i;
        writer.node("Relu", {std::to_string(at)}, {std::to_string(at + 1)}, {}, name);
    }
    return writer;
}

TEST(OnnxScale, AChainOfAHundredThousandNodesIsLookedAt) {
    const Imported imported(chain(Order::forward));
    EXPECT_EQ(imported.graph.layers.size(), many);
    look_at(imported.graph);
    EXPECT_EQ(parse_graph(to_text(imported.graph), "again").layers.size(), many);
}

TEST(OnnxScale, NodesInReverseOrderAreSorted) {
    EXPECT_EQ(Imported(chain(Order::backward)).graph.layers.back().outputs,
              Imported(chain(Order::backward)).graph.outputs);
}

TEST(OnnxScale, AHundredThousandNodesOfOneNameGetNamesOfTheirOwn) {
    const Imported imported(chain(Order::forward, "same"));
    EXPECT_EQ(imported.graph.layers.back().name, fmt::format("same_{}", many));
}

TEST(OnnxScale, OneNodeMayReadAHundredThousandTensors) {
    for (const char* op : {"Concat", "Sum", "Max", "Unknown"}) {
        OnnxWriter writer;
        std::vector<std::string> inputs;
        writer.input("x", {1, 4});
        for (int i = 0; i < many; ++i) {
            inputs.push_back(fmt::format("x{}", i));
            writer.node("Relu", {"x"}, {inputs.back()});
        }
        writer.node(op, inputs, {"y"}, {onnx_attribute("axis", std::int64_t{0})}).output("y");
        look_at(Imported(writer).graph);
    }
}

TEST(OnnxScale, AHundredThousandOutputsAreEachListedOnce) {
    OnnxWriter writer;
    writer.input("x", {1, 4});
    for (int i = 0; i < many; ++i) {
        writer.node("Relu", {"x"}, {fmt::format("y{}", i)}).output(fmt::format("y{}", i));
    }
    const Imported imported(writer);
    EXPECT_EQ(imported.graph.outputs.size(), many);
    look_at(imported.graph);
}

TEST(OnnxScale, WideBodiesWithinBodiesAreReadOnce) {
    OnnxWriter body;
    for (int i = 0; i < many / 10; ++i) {
        body.node("Add", {"x", fmt::format("t{}", i % 7)}, {fmt::format("b{}", i)});
    }
    WireWriter graph = body.output("b0").graph();
    for (int depth = 0; depth < 30; ++depth) {
        graph = OnnxWriter().node("If", {}, {"r"}, {onnx_attribute_graph("g", graph)}).graph();
    }
    OnnxWriter writer;
    writer.input("x", {1});
    for (int i = 0; i < 7; ++i) {
        writer.input(fmt::format("t{}", i), {1});
    }
    writer.node("If", {"x"}, {"y"}, {onnx_attribute_graph("g", graph)})
        .value_info("y", {1})
        .output("y");
    EXPECT_EQ(Imported(writer).graph.layers.at(0).inputs.size(), 9U);  // x twice: read and captured
}

TEST(OnnxScale, WhatIsComputedAtImportHasABudgetForTheWholeFile) {
    OnnxWriter writer;
    writer.integers("shape", {1024, 1024}).node("ConstantOfShape", {"shape"}, {"c"});
    for (int i = 0; i < 20'000; ++i) {
        writer.node(i % 2 == 0 ? "ReduceSum" : "NonZero", {"c"}, {fmt::format("y{}", i)})
            .output(fmt::format("y{}", i));
    }
    const Imported imported(writer);
    // Larger sums are computed at run time; positions of non-zeros never are.
    const auto& layers = imported.graph.layers;
    EXPECT_EQ(
        std::ranges::count_if(
            layers, [](const Layer& layer) { return std::holds_alternative<Reduction>(layer.op); }),
        10'000 - 33);
}

TEST(OnnxScale, ShapesAreComputedHoweverMuchWasBefore) {
    OnnxWriter writer;
    writer.input("x", {2, 6}).integers("shape", {1024, 1024}).integers("row", {1});
    writer.node("ConstantOfShape", {"shape"}, {"c"});
    for (int i = 0; i < 100; ++i) {
        writer.node("ReduceSum", {"c"}, {fmt::format("s{}", i)}).output(fmt::format("s{}", i));
    }
    writer.node("Shape", {"x"}, {"of_x"})
        .node("Gather", {"of_x", "row"}, {"columns"})
        .node("Reshape", {"x", "columns"}, {"y"})
        .output("y");
    EXPECT_NE(import_error(writer).find("cannot become 6"), std::string::npos);  // 6 was known
}

TEST(OnnxScale, ManyAttributesAndInitializersTakeLittleMoreThanTheFile) {
    WireWriter node = WireWriter().text(1, "x").text(2, "y").text(4, "Relu");
    for (int i = 0; i < 1'000'000; ++i) {
        node.text(5, "");
    }
    OnnxWriter writer;
    for (int i = 0; i < 1'000'000; ++i) {
        writer.initializer(WireWriter());
    }
    const std::string model = writer.input("x", {1}).node(node).output("y").model();
    const auto parsed = parse_onnx_model({"m.onnx", std::as_bytes(std::span(model))});
    EXPECT_TRUE(parsed.graph->initializers.empty());
    EXPECT_TRUE(parsed.graph->nodes.at(0).attributes.empty());
    EXPECT_EQ(Imported(model).graph.layers.size(), 1U);
    EXPECT_LE(sizeof(OnnxNamedMessage), 48U);  // for a named item of any content
}

}  // namespace
}  // namespace strata
