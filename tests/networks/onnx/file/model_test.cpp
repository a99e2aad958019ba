// SPDX-License-Identifier: MIT
#include "networks/onnx/file/model.h"

#include "tests/support/error_message.h"
#include "tests/support/onnx_writer.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

std::string small_model() {
    return OnnxWriter(13)
        .input("x", {-1, 3, 8, 8})
        .weight("w", {4, 3, 3, 3})
        .node("Conv", {"x", "w"}, {"y"},
              {onnx_attribute("pads", {1, 1, 1, 1}), onnx_attribute("auto_pad", "NOTSET"),
               onnx_attribute("group", std::int64_t{1}), onnx_attribute("alpha", 0.5f)},
              "conv")
        .output("y")
        .value_info("y", {1, 4, 8, 8})
        .model();
}

std::string error_of_parsing(const std::string& bytes) {
    return error_of([&] { parse_onnx_model({"m.onnx", std::as_bytes(std::span(bytes))}); });
}

TEST(OnnxModel, EverythingWrittenIsReadBack) {
    const std::string bytes = small_model();
    const auto model = parse_onnx_model({"m.onnx", std::as_bytes(std::span(bytes))});
    ASSERT_EQ(model.opsets.size(), 1u);
    EXPECT_EQ(model.opsets[0].second, 13);
    const OnnxGraph& graph = *model.graph;
    ASSERT_EQ(graph.nodes.size(), 1u);
    const OnnxNode& node = graph.nodes[0];
    EXPECT_EQ(node.name, "conv");
    EXPECT_EQ(node.op_type, "Conv");
    EXPECT_EQ(node.inputs, (std::vector<std::string_view>{"x", "w"}));
    EXPECT_EQ(node.outputs, (std::vector<std::string_view>{"y"}));
    const auto attribute = [&](std::size_t i) {
        return parse_onnx_attribute(node.attributes.at(i).message);
    };
    EXPECT_EQ(attribute(0).ints, (std::vector<std::int64_t>{1, 1, 1, 1}));
    EXPECT_EQ(attribute(1).s, "NOTSET");
    EXPECT_EQ(attribute(2).i, 1);
    EXPECT_EQ(attribute(3).f, 0.5f);
    EXPECT_EQ(graph.inputs[0].shape->at(0).name, "N");
    EXPECT_EQ(graph.inputs[0].shape->at(1).value, 3);
    EXPECT_EQ(graph.outputs[0].name, "y");
    EXPECT_FALSE(graph.outputs[0].shape);
    EXPECT_EQ(graph.value_infos[0].shape->size(), 4u);
}

TEST(OnnxModel, WeightsAreViewsIntoTheFile) {
    const std::string bytes = small_model();
    const auto model = parse_onnx_model({"m.onnx", std::as_bytes(std::span(bytes))});
    const OnnxTensor weight = parse_onnx_tensor(model.graph->initializers[0].message);
    EXPECT_EQ(weight.name, "w");
    EXPECT_EQ(weight.dims, (std::vector<std::int64_t>{4, 3, 3, 3}));
    EXPECT_EQ(weight.raw_data.size(), 4u * 27u * 4u);
    const auto* start = reinterpret_cast<const std::byte*>(bytes.data());
    EXPECT_GT(weight.raw_data.data(), start);
    EXPECT_LT(weight.raw_data.data(), start + bytes.size());
}

TEST(OnnxModel, OtherFilesAreCalledWhatTheyAre) {
    EXPECT_EQ(error_of_parsing(""), "'m.onnx' is empty; export or copy it again");
    EXPECT_EQ(error_of_parsing("name: \"lenet\"\nlayer {\n"),
              "'m.onnx' is not an ONNX file but text; name the .onnx file itself");
    EXPECT_EQ(error_of_parsing("\x89PNG\r\n\x1a\n0000"),
              "'m.onnx' is not an ONNX file but a PNG image; name the .onnx file itself");
    EXPECT_EQ(error_of_parsing(WireWriter().integer(1, 8).bytes),
              "'m.onnx' is not an ONNX file: it holds no graph; name the .onnx file itself");
}

TEST(OnnxModel, AFileCutAnywhereIsAnErrorOrAModel) {
    const std::string whole = small_model();
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string message = error_of_parsing(whole.substr(0, length));
        // A truncation can be missed only between two fields of the model message itself.
        const bool between = length == whole.size() - 6;
        EXPECT_EQ(message == "no error", between) << length << ": " << message;
    }
}

}  // namespace
}  // namespace strata
