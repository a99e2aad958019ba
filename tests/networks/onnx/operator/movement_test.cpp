// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

#include <limits>

namespace strata {
namespace {

OnnxWriter over(const char* op, const std::vector<std::int64_t>& x,
                const std::vector<std::vector<std::int64_t>>& lists,
                const std::vector<WireWriter>& attributes = {}) {
    OnnxWriter writer(18);
    std::vector<std::string> inputs = {"x"};
    for (const auto& list : lists) {
        inputs.push_back("list" + std::to_string(inputs.size()));
        writer.integers(inputs.back(), list);
    }
    writer.input("x", x).node(op, inputs, {"y"}, attributes, "node").output("y");
    return writer;
}

TEST(OnnxMovement, ASplitBecomesOneSliceForEachPart) {
    OnnxWriter writer(18);
    writer.input("x", {2, 5})
        .integers("sizes", {2, 3})
        .node("Split", {"x", "sizes"}, {"a", "b"}, {onnx_attribute("axis", std::int64_t{1})},
              "split")
        .output("a")
        .output("b");
    const Imported imported(writer);
    EXPECT_EQ(imported.graph.layers.at(0).name, "split.0");
    EXPECT_EQ(imported.graph.layers.at(1).name, "split.1");
    EXPECT_EQ(imported.op<Slice>(1), (Slice{.axes = {1}, .starts = {2}, .extents = {3}}));
    EXPECT_EQ(imported.dims("b"), (Dims{2, 3}));
}

TEST(OnnxMovement, PartsThatDoNotMakeUpTheAxisAreErrors) {
    OnnxWriter writer(18);
    writer.input("x", {5}).integers("sizes", {2, 2}).node("Split", {"x", "sizes"}, {"a", "b"});
    EXPECT_NE(import_error(writer.output("a").output("b")).find("do not make up the 5"),
              std::string::npos);
}

TEST(OnnxMovement, SlicesReachFromBothEndsAndBackwards) {
    const auto sliced = [](std::int64_t start, std::int64_t end, std::int64_t step) {
        return Imported(over("Slice", {10}, {{start}, {end}, {0}, {step}})).op<Slice>();
    };
    constexpr auto minimum = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(sliced(-3, 100, 1), (Slice{.axes = {0}, .starts = {7}, .extents = {3}}));
    EXPECT_EQ(sliced(9, minimum, -3),
              (Slice{.axes = {0}, .starts = {9}, .extents = {4}, .steps = {-3}}));
    EXPECT_EQ(sliced(1, 8, 3), (Slice{.axes = {0}, .starts = {1}, .extents = {3}, .steps = {3}}));
}

TEST(OnnxMovement, ANetworkThatOnlyGivesNothingIsRefused) {
    EXPECT_NE(import_error(over("Slice", {10}, {{5}, {5}})).find("its output 'y'"),
              std::string::npos);
}

TEST(OnnxMovement, WhatIsCutToNothingIsLeftOutWhereItIsPutBack) {
    OnnxWriter writer(18);  // a roll by 0, as exporters write it
    writer.input("x", {4, 3})
        .integers("0", {0})
        .integers("4", {4})
        .node("Slice", {"x", "0", "0"}, {"nothing"})
        .node("Slice", {"x", "0", "4"}, {"all"})
        .node("Concat", {"all", "nothing"}, {"y"}, {onnx_attribute("axis", std::int64_t{0})})
        .output("y");
    const Imported imported(writer);
    ASSERT_EQ(imported.graph.layers.size(), 2u);
    EXPECT_TRUE(std::holds_alternative<Identity>(imported.graph.layers[1].op));
    EXPECT_EQ(imported.dims("y"), (Dims{4, 3}));
}

TEST(OnnxMovement, TuplesOfComputedIndicesGatherRows) {
    OnnxWriter writer(18);
    writer.input("x", {2, 5, 3})
        .input("at", {2, 4, 1}, 7)
        .node("GatherND", {"x", "at"}, {"y"}, {onnx_attribute("batch_dims", std::int64_t{1})})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("y"), (Dims{2, 4, 3}));
    const Layer& last = imported.graph.layers.back();
    EXPECT_EQ(std::get<Gather>(last.op).axis, 0);
    EXPECT_EQ(imported.graph.tensors[last.inputs[0]].tensor.dims, (Dims{10, 3}));
}

TEST(OnnxMovement, ALookupOfTrainedRowsIsAnEmbedding) {
    OnnxWriter writer;
    writer.input("tokens", {2, 7}, 7)
        .weight("table", {50, 8})
        .node("Gather", {"table", "tokens"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Embedding>(), (Embedding{.rows = 50, .width = 8}));
    EXPECT_EQ(imported.tensor("table").role, Role::parameter);
    EXPECT_EQ(Imported(over("Gather", {4, 5}, {{2, 0}})).op<Gather>(), Gather{});
}

TEST(OnnxMovement, ScattersByKnownIndicesAreGathersOfBothOperands) {
    OnnxWriter writer(18);
    writer.input("x", {4})
        .input("u", {2})
        .initializer(onnx_integers("at", {2, 1}, {3, 1}))
        .node("ScatterND", {"x", "at", "u"}, {"y"}, {}, "node")
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("y"), Dims{4});
    EXPECT_EQ(imported.op<Concat>(0).axis, 0);
    EXPECT_EQ(imported.op<Gather>(1).axis, 0);
}

TEST(OnnxMovement, AnIndexOutOfRangeIsAnError) {
    OnnxWriter writer(18);
    writer.input("x", {4}).input("u", {1}).initializer(onnx_integers("at", {1, 1}, {4}));
    writer.node("ScatterND", {"x", "at", "u"}, {"y"}).output("y");
    EXPECT_NE(import_error(writer).find("index 4 is not one of 4"), std::string::npos);
}

TEST(OnnxMovement, IndicesComputedWhileItRunsAreCountedThrough) {
    OnnxWriter writer(18);
    writer.input("x", {3, 4})
        .input("at", {3, 2}, 7)
        .node("GatherElements", {"x", "at"}, {"y"}, {onnx_attribute("axis", std::int64_t{1})})
        .output("y");
    EXPECT_EQ(Imported(writer).dims("y"), (Dims{3, 2}));
}

TEST(OnnxMovement, TilesExpansionsAndDepthsHaveTheirShapes) {
    EXPECT_EQ(Imported(over("Tile", {2, 3}, {{2, 1}})).dims("y"), (Dims{4, 3}));
    EXPECT_EQ(Imported(over("Expand", {2, 1}, {{3, 1, 4}})).op<Expand>().dims, (Dims{3, 2, 4}));
    const WireWriter block = onnx_attribute("blocksize", std::int64_t{2});
    EXPECT_EQ(Imported(over("DepthToSpace", {1, 8, 2, 3}, {}, {block})).dims("y"),
              (Dims{1, 2, 4, 6}));
    EXPECT_EQ(Imported(over("SpaceToDepth", {1, 2, 4, 6}, {}, {block})).dims("y"),
              (Dims{1, 8, 2, 3}));
}

TEST(OnnxMovement, ATriangleIsSelectedByAMask) {
    const Imported imported(over("Trilu", {2, 3}, {}, {onnx_attribute("upper", std::int64_t{0})}));
    EXPECT_EQ(imported.op<Select>(), Select{});
    EXPECT_EQ(imported.tensor("node.part1").tensor.dtype, DataType::boolean);
}

TEST(OnnxReduction, KindsAxesAndKeptAxesAreOnnxs) {
    const Imported imported(
        over("ReduceMax", {2, 3, 4}, {{-1}}, {onnx_attribute("keepdims", std::int64_t{0})}));
    EXPECT_EQ(imported.op<Reduction>(),
              (Reduction{.kind = ReductionKind::maximum, .axes = {2}, .keep_axes = false}));
    EXPECT_EQ(Imported(over("ReduceSumSquare", {2, 3}, {})).dims("y"), (Dims{1, 1}));
    const WireWriter none = onnx_attribute("noop_with_empty_axes", std::int64_t{1});
    EXPECT_EQ(Imported(over("ReduceL1", {2, 3}, {}, {none})).op<Identity>(), Identity{});
}

TEST(OnnxReduction, ThePlaceOfTheLargestIsOfTopK) {
    const Imported imported(over("ArgMax", {2, 5}, {}, {onnx_attribute("axis", std::int64_t{1})}));
    EXPECT_EQ(imported.op<TopK>().k, 1);
    EXPECT_EQ(imported.tensor("y").tensor, (Tensor{{2, 1}, DataType::s64}));
}

TEST(OnnxHardmax, IsOneLayerAlongItsAxis) {
    EXPECT_EQ(Imported(over("Hardmax", {2, 3, 4}, {}, {onnx_attribute("axis", std::int64_t{1})}))
                  .op<Hardmax>(),
              Hardmax{.axis = 1});
    EXPECT_EQ(Imported(over("Hardmax", {2, 3}, {})).op<Hardmax>(), Hardmax{});
}

TEST(OnnxReduction, TopKGivesValuesAndPlaces) {
    OnnxWriter writer;
    writer.input("x", {2, 5}).integers("k", {3}).node("TopK", {"x", "k"}, {"v", "i"});
    const Imported imported(writer.output("v").output("i"));
    EXPECT_EQ(imported.dims("v"), (Dims{2, 3}));
    EXPECT_EQ(imported.tensor("i").tensor.dtype, DataType::s64);
}

TEST(OnnxEinsum, ProductsBatchesAndSumsHaveTheirShapes) {
    const auto shape = [](const char* equation, const std::vector<std::int64_t>& a,
                          const std::vector<std::int64_t>& b) {
        OnnxWriter writer;
        writer.input("a", a).input("b", b);
        writer.node("Einsum", {"a", "b"}, {"y"}, {onnx_attribute("equation", equation)});
        return Imported(writer.output("y")).dims("y");
    };
    EXPECT_EQ(shape("ij,jk->ik", {2, 3}, {3, 4}), (Dims{2, 4}));
    EXPECT_EQ(shape("bhid,bhjd->bhij", {1, 2, 3, 4}, {1, 2, 5, 4}), (Dims{1, 2, 3, 5}));
    EXPECT_EQ(shape("...ij,...jk", {6, 2, 3}, {6, 3, 4}), (Dims{6, 2, 4}));
    EXPECT_EQ(shape("i,j->ji", {2}, {3}), (Dims{3, 2}));
}

TEST(OnnxResize, SizesAndScalesGiveTheSameLayer) {
    OnnxWriter writer(18);
    writer.input("x", {1, 3, 4, 4})
        .integers("sizes", {1, 3, 8, 8})
        .initializer(onnx_floats("scales", {4}, {1, 1, 2, 2}))
        .node("Resize", {"x", "", "", "sizes"}, {"a"}, {onnx_attribute("mode", "linear")})
        .node("Resize", {"x", "", "scales"}, {"b"}, {onnx_attribute("mode", "linear")});
    const Imported imported(writer.output("a").output("b"));
    EXPECT_EQ(imported.op<Resize>(0).sizes, (Dims{8, 8}));
    EXPECT_EQ(imported.op<Resize>(0), imported.op<Resize>(1));
}

TEST(OnnxResize, AScaleThatMakesNoWholeExtentIsOpaque) {
    OnnxWriter writer(18);
    writer.input("x", {1, 1, 4, 4}).initializer(onnx_floats("scales", {4}, {1, 1, 0.6f, 0.6f}));
    writer.node("Resize", {"x", "", "scales"}, {"y"}).output("y");
    EXPECT_NE(opaque_reason(writer).find("does not make a whole extent"), std::string::npos);
}

TEST(OnnxNormalization, LayersGroupsAndInstancesKeepTheirNumbers) {
    OnnxWriter writer(21);
    writer.input("x", {2, 4, 3})
        .weight("s", {3})
        .weight("c", {4})
        .node("LayerNormalization", {"x", "s"}, {"a"})
        .node("GroupNormalization", {"x", "c", "c"}, {"b"},
              {onnx_attribute("num_groups", std::int64_t{2})})
        .node("InstanceNormalization", {"x", "c", "c"}, {"i"});
    const Imported imported(writer.output("a").output("b").output("i"));
    EXPECT_EQ(imported.op<LayerNormalization>(0).axis, 2);
    EXPECT_FALSE(imported.op<LayerNormalization>(0).shift);
    EXPECT_EQ(imported.op<GroupNormalization>(1).groups, 2);
    EXPECT_EQ(imported.op<GroupNormalization>(2).groups, 0);
}

TEST(OnnxAttention, PackedHeadsAreTakenApart) {
    OnnxWriter writer(23);
    writer.input("q", {1, 5, 8}).input("k", {1, 5, 4});
    writer
        .node("Attention", {"q", "k", "k"}, {"y"},
              {onnx_attribute("q_num_heads", std::int64_t{4}),
               onnx_attribute("kv_num_heads", std::int64_t{2}),
               onnx_attribute("is_causal", std::int64_t{1})})
        .output("y");
    EXPECT_EQ(Imported(writer).dims("y"), (Dims{1, 5, 8}));
}

}  // namespace
}  // namespace strata
