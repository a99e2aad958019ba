// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

namespace strata {
namespace {

// A cell with `hidden` units and `gates` blocks over x[5,2,3]; its weights count up.
OnnxWriter cell(const char* op, std::int64_t gates, std::int64_t hidden,
                const std::vector<WireWriter>& attributes = {}, std::int64_t directions = 1) {
    OnnxWriter writer;
    writer.input("x", {5, 2, 3})
        .weight("w", {directions, gates * hidden, 3}, 1)
        .weight("r", {directions, gates * hidden, hidden}, 1)
        .weight("b", {directions, 2 * gates * hidden}, 1)
        .node(op, {"x", "w", "r", "b"}, {"y", "h"}, attributes, "cell")
        .output("y");
    return writer;
}

TEST(OnnxRecurrent, TheGatesOfAnLstmAreInTheOperatorsOrder) {
    const Imported imported(cell("LSTM", 4, 1));
    EXPECT_EQ(imported.op<Recurrent>(),
              (Recurrent{.cell = CellKind::lstm, .hidden = 1, .bias = true}));
    // i o f c -> i f g o
    EXPECT_EQ(imported.values("r.0"), (std::vector<float>{0, 2, 3, 1}));
    EXPECT_EQ(imported.values("b.0"), (std::vector<float>{0 + 4, 2 + 6, 3 + 7, 1 + 5}));
    EXPECT_EQ(imported.dims("y"), (Dims{5, 1, 2, 1}));
}

TEST(OnnxRecurrent, AResetGateAfterTheProductKeepsItsBiasSeparate) {
    const Imported before(cell("GRU", 3, 1));
    EXPECT_FALSE(before.op<Recurrent>().reset_after);
    EXPECT_EQ(before.values("b.0"), (std::vector<float>{3, 5, 7}));
    const Imported after(
        cell("GRU", 3, 1, {onnx_attribute("linear_before_reset", std::int64_t{1})}));
    EXPECT_TRUE(after.op<Recurrent>().reset_after);
    EXPECT_EQ(after.values("b.0"), (std::vector<float>{3, 5, 2, 5}));
}

TEST(OnnxRecurrent, BothDirectionsHaveTheirOwnWeightsAndAnAxisOfTheResult) {
    const Imported imported(cell("LSTM", 4, 6, {onnx_attribute("direction", "bidirectional")}, 2));
    EXPECT_EQ(imported.op<Recurrent>().direction, Direction::bidirectional);
    EXPECT_EQ(imported.graph.layers.at(0).inputs.size(), 7U);
    EXPECT_EQ(imported.dims("w.1"), (Dims{24, 3}));
    EXPECT_EQ(imported.dims("y"), (Dims{5, 2, 2, 6}));
}

TEST(OnnxRecurrent, LastStatesAreGivenWhereSomebodyReadsThem) {
    EXPECT_FALSE(Imported(cell("GRU", 3, 4)).op<Recurrent>().final_state);
    const Imported imported(cell("GRU", 3, 4).output("h"));
    EXPECT_TRUE(imported.op<Recurrent>().final_state);
    EXPECT_EQ(imported.dims("h"), (Dims{1, 2, 4}));
}

TEST(OnnxRecurrent, FirstStatesOfZerosAreNone) {
    OnnxWriter writer;
    writer.input("x", {5, 2, 3})
        .weight("w", {1, 4, 3})
        .weight("r", {1, 4, 4})
        .initializer(onnx_floats("zero", {1, 2, 4}, std::vector<float>(8, 0)))
        .weight("first", {1, 2, 4});
    OnnxWriter other = writer;
    writer.node("RNN", {"x", "w", "r", "", "", "zero"}, {"y"}).output("y");
    EXPECT_EQ(Imported(writer).graph.layers.at(0).inputs.size(), 3U);
    other.node("RNN", {"x", "w", "r", "", "", "first"}, {"y"}).output("y");
    EXPECT_EQ(Imported(other).graph.layers.at(0).inputs.size(), 4U);
}

TEST(OnnxRecurrent, WhatTheOperatorDoesNotHaveIsOpaque) {
    EXPECT_EQ(opaque_reason(cell("LSTM", 4, 1, {onnx_attribute("clip", 3.0f)})),
              "clipped cells and coupled gates are not supported");
    OnnxWriter computed;
    computed.input("x", {5, 2, 3})
        .input("w", {1, 4, 3})
        .weight("r", {1, 4, 4})
        .node("RNN", {"x", "w", "r"}, {"y"})
        .output("y");
    EXPECT_EQ(opaque_reason(computed), "its input 1 is computed while the network runs");
}

TEST(OnnxRecurrent, WeightsThatDoNotFitAreErrors) {
    OnnxWriter writer;
    writer.input("x", {5, 2, 3}).weight("w", {1, 5, 3}).weight("r", {1, 4, 4});
    writer.node("RNN", {"x", "w", "r"}, {"y"}).output("y");
    EXPECT_NE(import_error(writer).find("its input 1 is 1x5x3 where the others need 1x4x3"),
              std::string::npos);
}

}  // namespace
}  // namespace strata
