// SPDX-License-Identifier: MIT
#include "networks/onnx/file/element_type.h"
#include "op/convention.h"
#include "tests/networks/onnx/import_support.h"

namespace strata {
namespace {

using Attributes = std::vector<WireWriter>;

constexpr std::int64_t int4 = 22;
constexpr std::int64_t float8 = 17;

// A tensor of any type whose bytes are all 1.
WireWriter filled(std::string_view name, const std::vector<std::int64_t>& dims, std::int64_t type,
                  std::size_t bytes) {
    WireWriter tensor;
    for (const std::int64_t extent : dims) {
        tensor.integer(1, extent);
    }
    return tensor.integer(2, type).text(8, name).text(9, std::string(bytes, '\x01'));
}

double flops_of(const Imported& imported) {
    double sum = 0;
    for (const Layer& layer : imported.graph.layers) {
        sum += count(layer.op, signature_of(imported.graph, layer), Pass::forward,
                     conventions().front())
                   .value;
    }
    return sum;
}

OnnxWriter product_with_dequantized(std::int64_t type, std::size_t bytes) {
    OnnxWriter writer(21);
    writer.input("x", {32, 64})
        .initializer(filled("w", {64, 64}, type, bytes))
        .weight("scale", {2, 64})
        .node("DequantizeLinear", {"w", "scale"}, {"wd"},
              {onnx_attribute("axis", std::int64_t{0}),
               onnx_attribute("block_size", std::int64_t{32})})
        .node("MatMul", {"x", "wd"}, {"y"})
        .output("y");
    return writer;
}

TEST(OnnxShapes, AProductBehindDequantizedWeightsIsCountedAndTheyAreParametersOfTheirType) {
    for (const auto& [type, bytes, dtype] :
         {std::tuple{int4, std::size_t{2048}, DataType::s4},
          std::tuple{float8, std::size_t{4096}, DataType::f8e4m3fn}}) {
        const Imported imported(product_with_dequantized(type, bytes));
        EXPECT_TRUE(is_counted(imported.graph.layers[0].op));
        EXPECT_EQ(imported.dims("wd"), (Dims{64, 64}));
        EXPECT_EQ(flops_of(imported), 2.0 * 32 * 64 * 64 + 64 * 64);  // plus a scale per weight
        EXPECT_EQ(imported.tensor("w").tensor.dtype, dtype);
        EXPECT_EQ(imported.tensor("w").tensor.bytes(), Bytes{static_cast<double>(bytes)});
        EXPECT_EQ(parameter_count(imported.graph), 64 * 64);
    }
}

TEST(OnnxShapes, TypesThatNothingComputesWithAreCalledByTheirNames) {
    EXPECT_EQ(onnx_type_name(std::int64_t{22}), "INT4");
    EXPECT_EQ(onnx_type_name(std::int64_t{19}), "FLOAT8E5M2");
    EXPECT_EQ(onnx_type_name(DataType::f4e2m1), "FLOAT4E2M1");
    OnnxWriter writer(21);
    writer.input("x", {2, 3}, int4)
        .node("Transpose", {"x"}, {"y"}, {onnx_attribute("perm", {1, 0})})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Opaque>().reason, "nothing here computes with elements of type INT4");
    EXPECT_EQ(imported.tensor("y").tensor, (Tensor{{3, 2}, DataType::s4}));
}

TEST(OnnxShapes, QuantizedActivationsKeepTheirShapesAndEverythingBehindThem) {
    OnnxWriter writer(21);
    writer.input("x", {1, 4, 8, 8})
        .initializer(onnx_floats("s", {}, {0.5F}))
        .initializer(filled("z", {}, 3, 1))
        .weight("w", {6, 4, 3, 3})
        .node("QuantizeLinear", {"x", "s", "z"}, {"q"})
        .node("DequantizeLinear", {"q", "s", "z"}, {"d"})
        .node("Conv", {"d", "w"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.tensor("q").tensor, (Tensor{{1, 4, 8, 8}, DataType::s8}));
    EXPECT_EQ(imported.tensor("d").tensor, (Tensor{{1, 4, 8, 8}, DataType::f32}));
    EXPECT_EQ(imported.dims("y"), (Dims{1, 6, 6, 6}));
}

TEST(OnnxShapes, IntegerProductsAndConvolutionsCountLikeThoseInFloatingPoint) {
    OnnxWriter product;
    product.input("a", {4, 8}, 2)
        .initializer(filled("b", {8, 5}, 3, 40))
        .node("MatMulInteger", {"a", "b"}, {"y"})
        .output("y");
    const Imported one(product);
    EXPECT_EQ(one.tensor("y").tensor, (Tensor{{4, 5}, DataType::s32}));
    EXPECT_EQ(flops_of(one), 2.0 * 4 * 8 * 5);
    EXPECT_EQ(parameter_count(one.graph), 40);
    OnnxWriter convolution;
    convolution.input("x", {1, 4, 8, 8}, 2)
        .initializer(onnx_floats("s", {}, {0.5F}))
        .initializer(filled("z", {}, 2, 1))
        .initializer(filled("w", {6, 4, 3, 3}, 3, 216))
        .node("QLinearConv", {"x", "s", "z", "w", "s", "z", "s", "z"}, {"y"})
        .output("y");
    const Imported other(convolution);
    EXPECT_EQ(other.tensor("y").tensor, (Tensor{{1, 6, 6, 6}, DataType::u8}));
    EXPECT_EQ(flops_of(other), 2.0 * 6 * 6 * 6 * 4 * 3 * 3);
}

TEST(OnnxShapes, ALikenessReadsNoMoreInputsThanItNames) {
    OnnxWriter writer;
    writer.input("a", {4, 8}, 2)
        .input("b", {4, 8}, 2)
        .initializer(onnx_floats("s", {}, {0.5F}))
        .initializer(filled("z", {}, 2, 1))
        .node("QLinearAdd", {"a", "s", "z", "b", "s", "z", "s", "z"}, {"y"}, {}, "",
              "com.microsoft")
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.tensor("y").tensor, (Tensor{{4, 8}, DataType::u8}));
    EXPECT_EQ(flops_of(imported), 4.0 * 8);
}

OnnxWriter one_of_microsoft(std::string_view op, std::vector<std::string> inputs,
                            const Attributes& attributes) {
    OnnxWriter writer;
    writer.node(op, std::move(inputs), {"y"}, attributes, "", "com.microsoft").output("y");
    return writer;
}

TEST(OnnxShapes, WeightsOfFourBitsInBytesAreCountedOneByOne) {
    OnnxWriter writer = one_of_microsoft(
        "MatMulNBits", {"x", "w", "s"},
        {onnx_attribute("K", std::int64_t{64}), onnx_attribute("N", std::int64_t{32}),
         onnx_attribute("bits", std::int64_t{4}), onnx_attribute("block_size", std::int64_t{32})});
    writer.input("x", {3, 64}).initializer(filled("w", {32, 2, 16}, 2, 1024)).weight("s", {64});
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("y"), (Dims{3, 32}));
    EXPECT_EQ(flops_of(imported), 2.0 * 3 * 64 * 32);
    EXPECT_EQ(parameter_count(imported.graph), 64 * 32);
}

TEST(OnnxShapes, WorkThatNoRuleKnowsIsMissingAndNotZero) {
    OnnxWriter writer(20);
    writer.input("x", {1, 8, 1}).node("DFT", {"x"}, {"y"}).output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("y"), (Dims{1, 8, 2}));
    EXPECT_FALSE(is_counted(imported.graph.layers[0].op));
}

TEST(OnnxFused, AProductIsTransposedAndScaled) {
    OnnxWriter writer = one_of_microsoft(
        "FusedMatMul", {"x", "w"},
        {onnx_attribute("transB", std::int64_t{1}), onnx_attribute("alpha", 0.5F)});
    writer.input("x", {2, 3, 4}).weight("w", {5, 4});
    const Imported imported(writer);
    EXPECT_EQ(imported.op<MatMul>(0).transpose_b, true);
    EXPECT_EQ(imported.op<Elementwise>(1).kind, ElementwiseKind::multiply);
    EXPECT_EQ(imported.dims("y"), (Dims{2, 3, 5}));
}

TEST(OnnxFused, ASkippedNormalizationAddsAndNormalizesAndGivesItsSum) {
    OnnxWriter writer;
    writer.input("x", {2, 3, 8})
        .input("skip", {2, 3, 8})
        .weight("gamma", {8})
        .weight("beta", {8})
        .node("SkipLayerNormalization", {"x", "skip", "gamma", "beta"}, {"y", "", "", "sum"}, {},
              "", "com.microsoft")
        .node("Relu", {"sum"}, {"z"})
        .output("y")
        .output("z");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Elementwise>(0).kind, ElementwiseKind::add);
    EXPECT_EQ(imported.op<LayerNormalization>(1).kind, NormalizationKind::standard);
    EXPECT_EQ(imported.dims("z"), (Dims{2, 3, 8}));
}

TEST(OnnxFused, GroupedAttentionWithAPastGivesWhatTheNextCallReads) {
    OnnxWriter writer;
    writer.input("q", {1, 1, 64})
        .input("k", {1, 1, 16})
        .input("v", {1, 1, 16})
        .input("pk", {1, 2, 7, 8})
        .input("pv", {1, 2, 7, 8})
        .input("lengths", {1}, 6)
        .input("total", {1}, 6)
        .node("GroupQueryAttention", {"q", "k", "v", "pk", "pv", "lengths", "total"},
              {"y", "key", "value"},
              {onnx_attribute("num_heads", std::int64_t{8}),
               onnx_attribute("kv_num_heads", std::int64_t{2})},
              "", "com.microsoft")
        .output("y")
        .output("key")
        .output("value");
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("y"), (Dims{1, 1, 64}));
    EXPECT_EQ(imported.dims("key"), (Dims{1, 2, 8, 8}));
    EXPECT_GT(flops_of(imported), 2.0 * 2 * 8 * 8 * 8 - 1);
}

TEST(OnnxFused, ARotationWithoutAnglesIsNotComputed) {
    OnnxWriter writer;
    writer.input("x", {1, 4, 16})
        .input("positions", {1, 4}, 7)
        .weight("cosines", {8, 0})
        .weight("sines", {8, 0})
        .node("RotaryEmbedding", {"x", "positions", "cosines", "sines"}, {"y"}, {}, "",
              "com.microsoft")
        .output("y");
    EXPECT_EQ(opaque_reason(writer), "it has no angles");
}

}  // namespace
}  // namespace strata
