// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

namespace strata {
namespace {

// The integers of "y" computed by the nodes from constants, read back as a constant output.
std::vector<std::int64_t> folded(OnnxWriter& writer) {
    const Imported imported(writer.output("y"));
    EXPECT_EQ(imported.graph.layers.size(), 1u);  // copies the constant output
    EXPECT_TRUE(std::holds_alternative<Identity>(imported.graph.layers.at(0).op));
    const auto& data = imported.tensor("y").data;
    std::vector<std::int64_t> values(data->bytes.size() / sizeof(std::int64_t));
    std::memcpy(values.data(), data->bytes.data(), data->bytes.size());
    return values;
}

using Integers = std::vector<std::int64_t>;

TEST(OnnxFold, ATargetComputedFromAShapeFlattensForAnyBatch) {
    // view(x.size(0), -1), as exporters write it.
    OnnxWriter writer;
    writer.input("x", {-1, 3, 4, 5})
        .node("Shape", {"x"}, {"shape"})
        .node("Constant", {}, {"zero"},
              {onnx_attribute_tensor("value", onnx_integers("", {}, {0}))})
        .node("Gather", {"shape", "zero"}, {"batch"}, {onnx_attribute("axis", std::int64_t{0})})
        .node("Constant", {}, {"rest"}, {onnx_attribute("value_ints", {-1})})
        .node("Unsqueeze", {"batch", "zero"}, {"first"})
        .node("Concat", {"first", "rest"}, {"target"}, {onnx_attribute("axis", std::int64_t{0})})
        .node("Reshape", {"x", "target"}, {"y"})
        .output("y");
    const Imported imported(writer, {.batch = 7, .dims = {}});
    EXPECT_EQ(imported.graph.layers.size(), 1u);
    EXPECT_EQ(imported.dims("y"), (Dims{7, 60}));
}

TEST(OnnxFold, ConstantFillsOfAnySizeAreOneElement) {
    OnnxWriter writer(9);
    writer.input("x", {1, 65536})
        .integers("shape", {65536, 65536})
        .node("ConstantOfShape", {"shape"}, {"w"},
              {onnx_attribute_tensor("value", onnx_floats("", {1}, {0.02f}))})
        .node("MatMul", {"x", "w"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.graph.layers.size(), 1u);
    EXPECT_EQ(imported.tensor("w").role, Role::parameter);
    EXPECT_EQ(imported.dims("w"), (Dims{65536, 65536}));
    EXPECT_EQ(imported.values("w"), std::vector<float>{0.02f});
}

TEST(OnnxFold, ReshapesOfWeightsLeaveTheirDataWhereTheyLie) {
    OnnxWriter writer(9);
    writer.input("x", {1, 3, 4, 4})
        .weight("w", {3})
        .node("Unsqueeze", {"w"}, {"u"}, {onnx_attribute("axes", {1, 2})})
        .node("Mul", {"x", "u"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.graph.layers.size(), 1u);
    EXPECT_EQ(imported.tensor("u").role, Role::parameter);
    EXPECT_EQ(imported.dims("u"), (Dims{3, 1, 1}));
    EXPECT_EQ(imported.values("u"), (std::vector<float>{0, 0.25f, 0.5f}));
}

TEST(OnnxFold, ATransposedWeightIsOneTensor) {
    OnnxWriter writer;
    writer.input("x", {1, 3})
        .weight("w", {2, 3}, 1.0f)
        .node("Transpose", {"w"}, {"t"})
        .node("MatMul", {"x", "t"}, {"y"})
        .output("y");
    EXPECT_EQ(Imported(writer).values("t"), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(OnnxFold, SlicesReachFromBothEndsAndBackwards) {
    const auto slice = [](Integers starts, Integers ends, Integers axes, Integers steps) {
        OnnxWriter writer;
        writer.initializer(onnx_integers("data", {2, 3}, {0, 1, 2, 3, 4, 5}))
            .integers("starts", starts)
            .integers("ends", ends)
            .integers("axes", axes)
            .integers("steps", steps)
            .node("Slice", {"data", "starts", "ends", "axes", "steps"}, {"y"});
        return folded(writer);
    };
    constexpr auto far = std::numeric_limits<std::int64_t>::max();
    constexpr auto before = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(slice({1}, {far}, {0}, {1}), (Integers{3, 4, 5}));
    EXPECT_EQ(slice({-1}, {before}, {1}, {-1}), (Integers{2, 1, 0, 5, 4, 3}));
    EXPECT_EQ(slice({0, 0}, {2, -1}, {0, 1}, {1, 2}), (Integers{0, 3}));
    EXPECT_EQ(slice({0}, {far}, {1}, {far}), (Integers{0, 3}));
}

TEST(OnnxFold, ArithmeticOnIntegersWrapsAndBroadcasts) {
    const auto binary = [](const char* op, Integers a, Integers b) {
        OnnxWriter writer;
        writer.integers("a", a).integers("b", b).node(op, {"a", "b"}, {"y"});
        return folded(writer);
    };
    constexpr auto minimum = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(binary("Add", {1, 2}, {10}), (Integers{11, 12}));
    EXPECT_EQ(binary("Sub", {1}, {10, 20}), (Integers{-9, -19}));
    EXPECT_EQ(binary("Mul", {minimum}, {-1}), Integers{minimum});
    EXPECT_EQ(binary("Div", {-7, 7}, {2}), (Integers{-3, 3}));
    EXPECT_EQ(binary("Div", {minimum}, {-1}), Integers{minimum});
    EXPECT_EQ(binary("Mod", {-7, 7}, {3}), (Integers{2, 1}));
    EXPECT_EQ(binary("Pow", {3}, {4}), Integers{81});
    EXPECT_EQ(binary("Min", {3, 5}, {4}), (Integers{3, 4}));
}

TEST(OnnxFold, ADivisionByZeroIsNotFolded) {
    OnnxWriter writer;
    writer.integers("a", {1}).integers("b", {0}).node("Div", {"a", "b"}, {"y"}).output("y");
    EXPECT_EQ(Imported(writer).op<Elementwise>(1).kind, ElementwiseKind::divide);
}

TEST(OnnxFold, ShapeArithmeticThroughFloatsCastsBack) {
    // Resize-like code: floor(extent * 1.5), computed in floats.
    OnnxWriter writer;
    writer.input("x", {1, 3, 5})
        .node("Shape", {"x"}, {"s"})
        .node("Cast", {"s"}, {"f"}, {onnx_attribute("to", std::int64_t{1})})
        .initializer(onnx_floats("k", {}, {1.5f}))
        .node("Mul", {"f", "k"}, {"m"})
        .node("Floor", {"m"}, {"g"})
        .node("Cast", {"g"}, {"y"}, {onnx_attribute("to", std::int64_t{7})});
    EXPECT_EQ(folded(writer), (Integers{1, 4, 7}));
}

TEST(OnnxFold, RangesConditionsAndExpansions) {
    OnnxWriter writer;
    writer.integers("shape", {2, 3})
        .initializer(onnx_integers("zero", {}, {0}))
        .initializer(onnx_integers("three", {}, {3}))
        .initializer(onnx_integers("one", {}, {1}))
        .node("Range", {"zero", "three", "one"}, {"r"})
        .node("Equal", {"r", "one"}, {"is_one"})
        .node("Where", {"is_one", "three", "r"}, {"w"})
        .node("Expand", {"w", "shape"}, {"y"});
    EXPECT_EQ(folded(writer), (Integers{0, 3, 2, 0, 3, 2}));
}

TEST(OnnxFold, ProductsSizesAndSlicedShapes) {
    OnnxWriter writer;
    writer.input("x", {2, 3, 4})
        .node("Shape", {"x"}, {"tail"}, {onnx_attribute("start", std::int64_t{-2})})
        .node("ReduceProd", {"tail"}, {"p"}, {onnx_attribute("keepdims", std::int64_t{0})})
        .node("Size", {"x"}, {"n"})
        .node("Div", {"n", "p"}, {"y"});
    EXPECT_EQ(folded(writer), Integers{2});
}

TEST(OnnxFold, EmptyConstantsWithHugeAxesCostNothing) {
    constexpr std::int64_t huge = std::int64_t{1} << 58;
    OnnxWriter writer;
    writer.initializer(onnx_integers("data", {huge, 0}, {}))
        .integers("index", {})
        .node("Gather", {"data", "index"}, {"g"}, {onnx_attribute("axis", std::int64_t{1})})
        .node("Transpose", {"g"}, {"t"})
        .node("Concat", {"t", "t"}, {"y"}, {onnx_attribute("axis", std::int64_t{0})})
        .output("y");
    import_error(writer);  // fails or not, but immediately
}

TEST(OnnxFold, AnIndexOutOfRangeIsAnError) {
    OnnxWriter writer;
    writer.integers("data", {1, 2}).integers("index", {2});
    writer.node("Gather", {"data", "index"}, {"y"}).output("y");
    EXPECT_NE(import_error(writer).find("index 2 is not one of 2"), std::string::npos);
}

}  // namespace
}  // namespace strata
