// SPDX-License-Identifier: MIT
#include "networks/onnx/import_node.h"
#include "tests/networks/onnx/import_support.h"

namespace strata {
namespace {

WireWriter truth(std::string_view name, bool value) {
    return WireWriter().integer(2, 9).text(8, name).text(9, std::string(1, value ? '\x01' : '\0'));
}

OnnxWriter branch(std::string_view op) {
    return OnnxWriter().node(op, {"x"}, {"r"}).output("r");
}

TEST(OnnxControlFlow, TheBranchThatAConstantChoosesIsImported) {
    for (const bool taken : {true, false}) {
        OnnxWriter writer;
        writer.input("x", {1, 4})
            .initializer(truth("condition", taken))
            .node("If", {"condition"}, {"y"},
                  {onnx_attribute_graph("then_branch", branch("Relu").graph()),
                   onnx_attribute_graph("else_branch", branch("Tanh").graph())})
            .output("y");
        const Imported imported(writer);
        ASSERT_EQ(imported.graph.layers.size(), 1u);
        EXPECT_EQ(imported.op<Activation>().kind,
                  taken ? ActivationKind::relu : ActivationKind::tanh);
    }
}

// Adds a weight from outside to its state, and also outputs the state at each iteration.
OnnxWriter loop(std::int64_t iterations) {
    OnnxWriter body;
    body.input("i", {}, 7)
        .input("go_on", {}, 9)
        .input("state", {3})
        .node("Identity", {"go_on"}, {"goes_on"})
        .node("Add", {"state", "w"}, {"next"})
        .node("Relu", {"next"}, {"seen"})
        .output("goes_on")
        .output("next")
        .output("seen");
    OnnxWriter writer;
    writer.input("x", {3})
        .weight("w", {3})
        .integers("n", {iterations})
        .initializer(truth("condition", true))
        .node("Loop", {"n", "condition", "x"}, {"y", "all"},
              {onnx_attribute_graph("body", body.graph())}, "loop")
        .output("y")
        .output("all");
    return writer;
}

TEST(OnnxControlFlow, ALoopOfAKnownNumberOfIterationsIsUnrolled) {
    const Imported imported(loop(4));
    std::size_t sums = 0;
    for (const Layer& layer : imported.graph.layers) {
        sums += std::holds_alternative<Elementwise>(layer.op) ? 1U : 0U;
    }
    EXPECT_EQ(sums, 4u);
    EXPECT_EQ(imported.dims("all"), (Dims{4, 3}));
    EXPECT_EQ(imported.graph.tensors[imported.graph.outputs[0]].tensor.dims, Dims{3});
}

TEST(OnnxControlFlow, ALoopWithoutIterationsGivesWhatItWasGiven) {
    OnnxWriter writer;
    const OnnxWriter body =
        OnnxWriter().input("i", {}, 7).input("c", {}, 9).input("s", {3}).output("c").output("s");
    writer.input("x", {3})
        .integers("n", {0})
        .initializer(truth("condition", true))
        .node("Loop", {"n", "condition", "x"}, {"y"}, {onnx_attribute_graph("body", body.graph())})
        .output("y");
    EXPECT_EQ(Imported(writer).op<Identity>(), Identity());
}

TEST(OnnxControlFlow, AHostileNumberOfIterationsIsNotUnrolled) {
    const Imported imported(loop(std::int64_t{1} << 62));
    ASSERT_EQ(imported.graph.layers.size(), 1u);
    EXPECT_EQ(imported.op<Opaque>().reason, "more than 1024 iterations are not unrolled");
    EXPECT_FALSE(is_counted(imported.graph.layers[0].op));
}

TEST(OnnxControlFlow, NestedLoopsShareOneBudget) {
    OnnxWriter inner;
    inner.input("i", {}, 7).input("c", {}, 9).input("s", {3});
    inner.node("Relu", {"s"}, {"t"}).output("c").output("t");
    OnnxWriter outer;
    outer.input("i2", {}, 7).input("c2", {}, 9).input("s2", {3});
    outer
        .node("Loop", {"n", "condition", "s2"}, {"t2"},
              {onnx_attribute_graph("body", inner.graph())})
        .output("c2")
        .output("t2");
    OnnxWriter writer;
    writer.input("x", {3})
        .integers("n", {1000})
        .initializer(truth("condition", true))
        .node("Loop", {"n", "condition", "x"}, {"y"}, {onnx_attribute_graph("body", outer.graph())})
        .output("y");
    EXPECT_LE(Imported(writer).graph.layers.size(), static_cast<std::size_t>(max_nodes_of_bodies));
}

TEST(OnnxControlFlow, AScanReadsOnePartForEachIteration) {
    OnnxWriter body;
    body.input("state", {2})
        .input("part", {2})
        .node("Add", {"state", "part"}, {"next"})
        .node("Identity", {"next"}, {"seen"})
        .output("next")
        .output("seen");
    OnnxWriter writer;
    writer.input("s", {2})
        .input("x", {5, 2})
        .node("Scan", {"s", "x"}, {"last", "y"},
              {onnx_attribute_graph("body", body.graph()),
               onnx_attribute("num_scan_inputs", std::int64_t{1})})
        .output("y");
    EXPECT_EQ(Imported(writer).dims("y"), (Dims{5, 2}));
}

}  // namespace
}  // namespace strata
