// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

#include <algorithm>

namespace strata {
namespace {

OnnxWriter sampled(const std::vector<std::int64_t>& image, const std::vector<std::int64_t>& grid,
                   std::string_view mode, std::string_view padding) {
    OnnxWriter writer(20);
    writer.input("x", image)
        .input("grid", grid)
        .node("GridSample", {"x", "grid"}, {"y"},
              {onnx_attribute("mode", mode), onnx_attribute("padding_mode", padding)}, "sample")
        .output("y");
    return writer;
}

bool has(const Graph& graph, const Op& op) {
    return std::ranges::find(graph.layers, op, &Layer::op) != graph.layers.end();
}

TEST(OnnxGridSample, FourNeighboursOfEachPlaceAreFetchedByOneGather) {
    const Imported imported(sampled({2, 3, 5, 7}, {2, 4, 6, 2}, "linear", "zeros"));
    EXPECT_EQ(imported.dims("y"), (Dims{2, 3, 4, 6}));
    const auto gathers = std::ranges::count_if(imported.graph.layers, [](const Layer& layer) {
        return std::holds_alternative<Gather>(layer.op);
    });
    EXPECT_EQ(gathers, 1);
    EXPECT_TRUE(has(imported.graph, Elementwise{ElementwiseKind::equal}));  // zero outside
}

TEST(OnnxGridSample, TheNearestPixelIsOneAndCountsFullyInsideTheBorder) {
    const Imported imported(sampled({1, 3, 5, 7}, {1, 4, 6, 2}, "nearest", "border"));
    EXPECT_EQ(imported.dims("y"), (Dims{1, 3, 4, 6}));
    EXPECT_TRUE(has(imported.graph, Unary{UnaryKind::round}));
    EXPECT_FALSE(has(imported.graph, Elementwise{ElementwiseKind::equal}));
}

TEST(OnnxGridSample, WhatIsNotKnownIsOpaqueWithItsReason) {
    EXPECT_EQ(opaque_reason(sampled({1, 3, 5, 7}, {1, 4, 6, 2}, "cubic", "zeros")),
              "cubic interpolation at computed positions is not supported");
    EXPECT_EQ(opaque_reason(sampled({1, 3, 5, 7, 8}, {1, 4, 6, 2, 3}, "linear", "zeros")),
              "it does not sample 2-D images");
}

TEST(OnnxAffineGrid, TheCentresOfThePixelsAreMoved) {
    OnnxWriter writer(20);
    writer.input("theta", {2, 2, 3})
        .integers("size", {2, 3, 4, 6})
        .node("AffineGrid", {"theta", "size"}, {"y"}, {}, "grid")
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.dims("y"), (Dims{2, 4, 6, 2}));
    const std::vector<float> points = imported.values("grid.part1");
    ASSERT_EQ(points.size(), 72u);
    EXPECT_FLOAT_EQ(points[0], -5.0f / 6);  // the first centre in x and y, and the 1 to shift it
    EXPECT_FLOAT_EQ(points[1], -3.0f / 4);
    EXPECT_FLOAT_EQ(points[2], 1);
}

}  // namespace
}  // namespace strata
