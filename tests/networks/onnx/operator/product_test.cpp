// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

namespace strata {
namespace {

// y = Gemm(x[2,3], w, c) with the given shape of w; weights count up by a quarter.
OnnxWriter gemm(const std::vector<std::int64_t>& w, const std::vector<std::int64_t>& c,
                const std::vector<WireWriter>& attributes) {
    OnnxWriter writer;
    writer.input("x", {2, 3})
        .weight("w", w)
        .weight("c", c)
        .node("Gemm", {"x", "w", "c"}, {"y"}, attributes, "fc")
        .output("y");
    return writer;
}

TEST(OnnxGemm, WithAnUprightWeightItIsFullyConnectedWithoutACopy) {
    const Imported imported(gemm({4, 3}, {4}, {onnx_attribute("transB", std::int64_t{1})}));
    EXPECT_EQ(imported.op<FullyConnected>(), (FullyConnected{.out_features = 4, .bias = true}));
    EXPECT_EQ(imported.graph.layers.size(), 1u);
    EXPECT_EQ(imported.tensor("w").role, Role::parameter);
    EXPECT_EQ(imported.dims("c"), Dims{4});
}

TEST(OnnxGemm, AWeightTheOtherWayRoundStaysInTheFileToo) {
    const Imported imported(gemm({3, 2}, {2}, {}));
    EXPECT_EQ(imported.op<FullyConnected>(), (FullyConnected{.out_features = 2, .bias = true}));
    EXPECT_EQ(imported.dims("w.weight"), (Dims{2, 3}));
    EXPECT_EQ(imported.tensor("w.weight").data->order, MatrixOrder::column_major);
    EXPECT_EQ(imported.values("w.weight"), (std::vector<float>{0, 0.25f, 0.5f, 0.75f, 1, 1.25f}));
}

TEST(OnnxGemm, AFactorScalesTheWeight) {
    const Imported imported(
        gemm({3, 2}, {1, 2}, {onnx_attribute("alpha", 2.0f), onnx_attribute("beta", 4.0f)}));
    EXPECT_EQ(imported.dims("w.weight"), (Dims{2, 3}));
    EXPECT_EQ(imported.tensor("w.weight").data->order, MatrixOrder::column_major);
    EXPECT_EQ(imported.values("w.weight"), (std::vector<float>{0, 0.5f, 1, 1.5f, 2, 2.5f}));
    EXPECT_EQ(imported.values("c.bias"), (std::vector<float>{0, 1}));
}

TEST(OnnxGemm, ABiasOfOneNumberFillsAllFeatures) {
    const Imported imported(gemm({4, 3}, {1}, {onnx_attribute("transB", std::int64_t{1})}));
    EXPECT_EQ(imported.dims("c.bias"), Dims{4});
    EXPECT_EQ(imported.values("c.bias"), std::vector<float>{0});  // one element for all
}

TEST(OnnxGemm, AMatrixIsAddedInALayerOfItsOwn) {
    const Imported imported(gemm({4, 3}, {2, 4}, {onnx_attribute("transB", std::int64_t{1})}));
    ASSERT_EQ(imported.graph.layers.size(), 2u);
    EXPECT_FALSE(imported.op<FullyConnected>(0).bias);
    EXPECT_EQ(imported.graph.layers[0].name, "fc.product");
    EXPECT_EQ(imported.op<Elementwise>(1).kind, ElementwiseKind::add);
    EXPECT_EQ(imported.graph.layers[1].name, "fc");
}

TEST(OnnxGemm, ATransposedInputIsTransposedFirst) {
    OnnxWriter writer;
    writer.input("x", {3, 2})
        .weight("w", {4, 3})
        .node(
            "Gemm", {"x", "w"}, {"y"},
            {onnx_attribute("transA", std::int64_t{1}), onnx_attribute("transB", std::int64_t{1})})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Transpose>(0).permutation, (Dims{1, 0}));
    EXPECT_EQ(imported.dims("y"), (Dims{2, 4}));
}

TEST(OnnxGemm, TwoComputedMatricesAreMultiplied) {
    OnnxWriter writer;
    writer.input("x", {2, 3})
        .input("z", {4, 3})
        .node("Gemm", {"x", "z"}, {"y"}, {onnx_attribute("transB", std::int64_t{1})})
        .output("y");
    EXPECT_EQ(Imported(writer).op<MatMul>(), (MatMul{.transpose_a = false, .transpose_b = true}));
    OnnxWriter scaled;
    scaled.input("x", {2, 3})
        .input("z", {3, 4})
        .node("Gemm", {"x", "z"}, {"y"}, {onnx_attribute("alpha", 0.5f)})
        .output("y");
    EXPECT_EQ(opaque_reason(scaled), "alpha scales a product of computed matrices");
}

TEST(OnnxMatMul, AWeightIsAParameter) {
    OnnxWriter writer;
    writer.input("x", {2, 5, 3}).weight("w", {3, 4}).node("MatMul", {"x", "w"}, {"y"}).output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.tensor("w").role, Role::parameter);
    EXPECT_EQ(imported.dims("y"), (Dims{2, 5, 4}));
}

}  // namespace
}  // namespace strata
