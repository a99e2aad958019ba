// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

namespace strata {
namespace {

OnnxWriter convolution(const std::vector<std::int64_t>& x, const std::vector<std::int64_t>& w,
                       const std::vector<WireWriter>& attributes) {
    OnnxWriter writer;
    writer.input("x", x).weight("w", w).node("Conv", {"x", "w"}, {"y"}, attributes).output("y");
    return writer;
}

OnnxWriter pool(const char* op, const std::vector<WireWriter>& attributes) {
    OnnxWriter writer;
    writer.input("x", {1, 2, 5, 6}).node(op, {"x"}, {"y"}, attributes).output("y");
    return writer;
}

TEST(OnnxConvolution, EveryAttributeArrives) {
    const Imported imported(
        convolution({2, 4, 9, 9}, {6, 2, 3, 1},
                    {onnx_attribute("strides", {2, 1}), onnx_attribute("dilations", {2, 1}),
                     onnx_attribute("pads", {1, 0, 2, 3}), onnx_attribute("group", std::int64_t{2}),
                     onnx_attribute("kernel_shape", {3, 1})}));
    EXPECT_EQ(imported.op<Convolution>(), (Convolution{.out_channels = 6,
                                                       .kernel = {3, 1},
                                                       .stride = {2, 1},
                                                       .dilation = {2, 1},
                                                       .pad_begin = {1, 0},
                                                       .pad_end = {2, 3},
                                                       .groups = 2,
                                                       .bias = false}));
    EXPECT_EQ(imported.dims("y"), (Dims{2, 6, 4, 12}));
}

TEST(OnnxConvolution, OneAndThreeSpatialAxesWork) {
    EXPECT_EQ(Imported(convolution({1, 2, 9}, {4, 2, 3}, {})).dims("y"), (Dims{1, 4, 7}));
    EXPECT_EQ(Imported(convolution({1, 2, 4, 5, 6}, {4, 2, 2, 2, 2}, {})).dims("y"),
              (Dims{1, 4, 3, 4, 5}));
}

TEST(OnnxConvolution, SamePaddingPutsTheOddPadOnTheRequestedSide) {
    const auto same = [](const char* side) {
        return Imported(
            convolution({1, 1, 5, 6}, {1, 1, 3, 3},
                        {onnx_attribute("auto_pad", side), onnx_attribute("strides", {2, 2})}));
    };
    const Imported upper = same("SAME_UPPER");
    EXPECT_EQ(upper.dims("y"), (Dims{1, 1, 3, 3}));
    EXPECT_EQ(upper.op<Convolution>().pad_begin, (Dims{1, 0}));
    EXPECT_EQ(upper.op<Convolution>().pad_end, (Dims{1, 1}));
    const Imported lower = same("SAME_LOWER");
    EXPECT_EQ(lower.op<Convolution>().pad_begin, (Dims{1, 1}));
    EXPECT_EQ(lower.op<Convolution>().pad_end, (Dims{1, 0}));
}

TEST(OnnxConvolution, SamePaddingCountsDilation) {
    const Imported same(convolution(
        {1, 1, 7, 7}, {1, 1, 3, 3},
        {onnx_attribute("auto_pad", "SAME_UPPER"), onnx_attribute("dilations", {2, 2})}));
    EXPECT_EQ(same.dims("y"), (Dims{1, 1, 7, 7}));
    EXPECT_EQ(same.op<Convolution>().pad_begin, (Dims{2, 2}));
}

TEST(OnnxConvolution, AKernelShapeThatContradictsTheWeightIsAnError) {
    EXPECT_NE(import_error(
                  convolution({1, 1, 7, 7}, {1, 1, 3, 3}, {onnx_attribute("kernel_shape", {5, 5})}))
                  .find("kernel_shape 5x5 does not fit the weight's 3x3"),
              std::string::npos);
}

TEST(OnnxPooling, MaximumAndAverageKeepTheirAttributes) {
    const Imported max(
        pool("MaxPool",
             {onnx_attribute("kernel_shape", {3, 2}), onnx_attribute("strides", {2, 2}),
              onnx_attribute("pads", {1, 0, 0, 1}), onnx_attribute("ceil_mode", std::int64_t{1})}));
    EXPECT_EQ(max.op<Pooling>(), (Pooling{.kind = PoolingKind::max,
                                          .kernel = {3, 2},
                                          .stride = {2, 2},
                                          .dilation = {1, 1},
                                          .pad_begin = {1, 0},
                                          .pad_end = {0, 1},
                                          .ceil_mode = true}));
    EXPECT_EQ(max.dims("y"), (Dims{1, 2, 3, 3}));  // no window starts in the end padding
    const Imported average(
        pool("AveragePool", {onnx_attribute("kernel_shape", {2, 2}),
                             onnx_attribute("count_include_pad", std::int64_t{1})}));
    EXPECT_EQ(average.op<Pooling>().kind, PoolingKind::average);
    EXPECT_TRUE(average.op<Pooling>().count_include_pad);
    EXPECT_EQ(average.dims("y"), (Dims{1, 2, 4, 5}));
}

TEST(OnnxPooling, GlobalPoolsTakeTheWholePlane) {
    for (const char* op : {"GlobalMaxPool", "GlobalAveragePool"}) {
        const Imported imported(pool(op, {}));
        EXPECT_TRUE(imported.op<Pooling>().global);
        EXPECT_EQ(imported.dims("y"), (Dims{1, 2, 1, 1}));
    }
}

TEST(OnnxPooling, AMeanOverAllSpatialAxesIsAGlobalPool) {
    const Imported kept(pool("ReduceMean", {onnx_attribute("axes", {-1, 2})}));
    EXPECT_EQ(kept.dims("y"), (Dims{1, 2, 1, 1}));
    const Imported dropped(pool("ReduceMean", {onnx_attribute("axes", {2, 3}),
                                               onnx_attribute("keepdims", std::int64_t{0})}));
    EXPECT_EQ(dropped.graph.layers.size(), 2u);
    EXPECT_EQ(dropped.dims("y"), (Dims{1, 2}));
    EXPECT_EQ(Imported(pool("ReduceMean", {onnx_attribute("axes", {1})})).op<Reduction>().kind,
              ReductionKind::mean);
}

}  // namespace
}  // namespace strata
