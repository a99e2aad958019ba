// SPDX-License-Identifier: MIT
#include "tests/networks/onnx/import_support.h"

#include <algorithm>
#include <limits>

namespace strata {
namespace {

TEST(OnnxBadInput, AnOpsetThatIsNotKnownNamesTheFix) {
    const auto relu = [](std::int64_t opset) {
        OnnxWriter writer(opset);
        writer.input("x", {1}).node("Relu", {"x"}, {"y"}).output("y");
        return import_error(writer);
    };
    EXPECT_EQ(relu(7), "no error");
    EXPECT_EQ(relu(28), "no error");
    EXPECT_EQ(
        relu(6),
        "'m.onnx' uses opset 6 of the ONNX operators where 7 to 28 are known; convert it with "
        "onnx.version_converter");
    EXPECT_NE(relu(0).find("no stated version"), std::string::npos);
}

TEST(OnnxBadInput, ACycleNamesANodeOnIt) {
    OnnxWriter writer;
    writer.input("x", {1, 4})
        .node("Relu", {"b"}, {"after"}, {}, "behind")
        .node("Add", {"x", "b"}, {"a"}, {}, "first")
        .node("Relu", {"a"}, {"b"}, {}, "second")
        .output("after");
    const std::string message = import_error(writer);
    EXPECT_NE(message.find("depends on its own output, so the graph is cyclic"), std::string::npos);
    EXPECT_EQ(message.find("behind"), std::string::npos) << message;
}

TEST(OnnxBadInput, AnInputThatNothingGivesIsNamed) {
    OnnxWriter writer;
    writer.input("x", {1, 4}).node("Add", {"x", "ghost"}, {"y"}, {}, "sum").output("y");
    EXPECT_EQ(import_error(writer),
              "'m.onnx': node 'sum' (Add) reads 'ghost', which nothing produces; export the model "
              "again");
}

TEST(OnnxBadInput, AnOutputThatNothingGivesIsNamed) {
    EXPECT_EQ(import_error(OnnxWriter().input("x", {1}).output("ghost")),
              "'m.onnx': nothing produces its output 'ghost'; export the model again");
    EXPECT_EQ(import_error(OnnxWriter().input("x", {1})),
              "'m.onnx': its graph has no outputs; export the model again");
}

TEST(OnnxBadInput, ANameGivenTwiceIsNamed) {
    OnnxWriter writer;
    writer.input("x", {1, 4}).node("Relu", {"x"}, {"y"}).node("Tanh", {"x"}, {"y"}).output("y");
    EXPECT_EQ(import_error(writer),
              "'m.onnx': the name 'y' is given to two tensors; rename one of them");
    EXPECT_NE(import_error(OnnxWriter().weight("w", {1}).weight("w", {1}).output("w")), "no error");
    EXPECT_NE(import_error(OnnxWriter().input("x", {1}).input("x", {1}).output("x")), "no error");
}

TEST(OnnxBadInput, ShapesThatDoNotFitNameFileNodeAndShapes) {
    OnnxWriter writer;
    writer.input("x", {1, 5, 8, 8})
        .weight("w", {4, 3, 3, 3})
        .node("Conv", {"x", "w"}, {"y"}, {}, "conv1")
        .output("y");
    const std::string message = import_error(writer);
    EXPECT_EQ(message.find("'m.onnx': node 'conv1' (Conv): convolution"), 0u) << message;
}

TEST(OnnxBadInput, WeightsThatDoNotFillTheirShapeAreNamed) {
    const auto short_weight = WireWriter().integer(1, 4).integer(2, 1).text(8, "w").text(9, "1234");
    EXPECT_EQ(
        import_error(OnnxWriter().initializer(short_weight).output("w")),
        "'m.onnx': initializer 'w' holds 4 bytes where its shape 4 needs 16; export it again");
}

TEST(OnnxBadInput, AbsurdExtentsAreErrors) {
    const std::int64_t huge = std::int64_t{1} << 62;
    const auto relu = [](std::vector<std::int64_t> dims) {
        OnnxWriter writer;
        writer.input("x", dims).node("Relu", {"x"}, {"y"}).output("y");
        return import_error(writer);
    };
    EXPECT_NE(relu({1, huge}).find("make it smaller"), std::string::npos);
    EXPECT_NE(relu({1 << 30, 1 << 30, 1 << 30}).find("make it smaller"), std::string::npos);
    EXPECT_NE(relu({1, 3, 0}).find("--dim x.2=VALUE"), std::string::npos);
    const auto weight = WireWriter().integer(1, -4).integer(2, 1).text(8, "w");
    EXPECT_NE(import_error(OnnxWriter().initializer(weight).output("w")), "no error");
}

TEST(OnnxBadInput, MoreAxesThanAnyNetworkHasAreErrors) {
    OnnxWriter writer;
    writer.input("x", {1}).integers("target", std::vector<std::int64_t>(60'000, 1));
    writer.node("Reshape", {"x", "target"}, {"y"}).output("y");
    EXPECT_NE(import_error(writer).find("60000 axes"), std::string::npos);
    EXPECT_NE(import_error(OnnxWriter().input("x", std::vector<std::int64_t>(65, 1)).output("x")),
              "no error");
}

TEST(OnnxBadInput, AttributesOutOfRangeAreErrors) {
    const std::int64_t huge = std::int64_t{1} << 62;
    for (const char* name : {"pads", "strides", "dilations", "kernel_shape"}) {
        for (const std::int64_t value : {huge, -huge, std::int64_t{-1}}) {
            const auto attribute = std::string_view(name) == "pads"
                                       ? onnx_attribute(name, {value, value, value, value})
                                       : onnx_attribute(name, {value, value});
            OnnxWriter writer;
            writer.input("x", {1, 3, 8, 8})
                .weight("w", {4, 3, 3, 3})
                .node("Conv", {"x", "w"}, {"y"}, {attribute})
                .output("y");
            EXPECT_NE(import_error(writer), "no error") << name << " " << value;
        }
    }
}

// A model with a variety of features.
OnnxWriter varied_network() {
    const OnnxWriter body = OnnxWriter().node("Relu", {"s"}, {"r"}).output("r");
    OnnxWriter writer(12);
    writer.input("x", {-1, 3, 8, 8})
        .weight("w", {4, 3, 3, 3})
        .weight("v", {4})
        .integers("shape", {2})
        .integers("target", {0, -1})
        .node("Conv", {"x", "w", "v"}, {"c"}, {onnx_attribute("auto_pad", "SAME_UPPER")})
        .node("BatchNormalization", {"c", "v", "v", "v", "v"}, {"n"},
              {onnx_attribute("epsilon", 0.001f)})
        .node("MaxPool", {"n"}, {"p", "i"}, {onnx_attribute("kernel_shape", {2, 2})})
        .node("Shape", {"p"}, {"e"})
        .node("Gather", {"e", "shape"}, {"g"})
        .node("ConstantOfShape", {"g"}, {"f"},
              {onnx_attribute_tensor("value", onnx_floats("", {1}, {0.5f}))})
        .node("Add", {"p", "f"}, {"s"})
        .node("Reshape", {"s", "target"}, {"y"})
        .node("If", {"y"}, {"z"}, {onnx_attribute_graph("then_branch", body.graph())})
        .output("z")
        .value_info("z", {-1, 4});
    return writer;
}

TEST(OnnxBadInput, AFileCutAtAnyByteNeverCrashes) {
    const std::string whole = varied_network().model();
    ASSERT_EQ(import_error(varied_network()), "no error");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        error_of([&] { Imported(whole.substr(0, length)); });
    }
}

TEST(OnnxBadInput, AFileWithAnyByteChangedNeverCrashes) {
    const std::string whole = varied_network().model();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const char value : {'\0', '\x01', '\x7f', '\xff'}) {
            std::string broken = whole;
            broken[at] = value;
            error_of([&] { Imported(std::move(broken)); });
        }
    }
}

TEST(OnnxBadInput, AttentionOfOtherRanksIsARefusalByName) {
    const auto reason = [](Dims k, Dims v, Dims past) {
        OnnxWriter writer;
        writer.input("q", {2, 5, 8}).input("k", k).input("v", v).input("past", past);
        writer
            .node("Attention", {"q", "k", "v", "", "past", "past"}, {"y"},
                  {onnx_attribute("q_num_heads", std::int64_t{2})})
            .value_info("y", {2, 5, 8})
            .output("y");
        return opaque_reason(writer);
    };
    EXPECT_EQ(reason({8}, {2, 5, 8}, {2, 2, 3, 4}), "its input 1 is 8 where 3 axes are needed");
    EXPECT_EQ(reason({2, 5, 8}, {2, 5}, {2, 2, 3, 4}),
              "its input 2 is 2x5 where 3 axes are needed");
    EXPECT_EQ(reason({2, 5, 8}, {2, 5, 8}, {2}), "its input 4 is 2 where 4 axes are needed");
    OnnxWriter writer;  // four axes, but keys with fewer
    writer.input("q", {2, 5, 4, 8}).input("k", {8}).input("v", {2, 5, 4, 8});
    writer.node("Attention", {"q", "k", "v"}, {"y"}).value_info("y", {2, 5, 4, 8}).output("y");
    EXPECT_EQ(opaque_reason(writer), "its input 1 is 8 where 4 axes are needed");
}

TEST(OnnxBadInput, AScatterOfAnotherTypeIsRefusedBeforeItsElementsAreRead) {
    OnnxWriter writer;
    writer.initializer(onnx_integers("data", {1000}, std::vector<std::int64_t>(1000, 1)))
        .initializer(onnx_integers("places", {1000}, std::vector<std::int64_t>(1000, 3)))
        .weight("updates", {1000})  // half the number of bytes
        .node("ScatterElements", {"data", "places", "updates"}, {"y"})
        .output("y");
    EXPECT_NE(import_error(writer).find("its updates are f32 and its data s64"), std::string::npos);
}

TEST(OnnxBadInput, HalfPrecisionHasConstantsToo) {
    OnnxWriter writer;
    writer.input("x", {4}, 10)
        .node("Swish", {"x"}, {"s"}, {onnx_attribute("alpha", 1.5F)})
        .node("Shrink", {"s"}, {"y"})
        .output("y");
    const Graph graph = Imported(writer).graph;
    EXPECT_FALSE(std::holds_alternative<Opaque>(graph.layers[0].op));
    const auto half = std::ranges::find_if(
        graph.tensors, [](const GraphTensor& tensor) { return tensor.data.has_value(); });
    ASSERT_NE(half, graph.tensors.end());
    EXPECT_EQ(half->data->bytes[1], std::byte{0x3E});  // 1.5 is 0x3E00
}

TEST(OnnxBadInput, WindowsPadsAndBlocksOutOfRangeDoNotOverflow) {
    constexpr std::int64_t huge = std::int64_t{1} << 58;
    OnnxWriter pooled;
    pooled.input("x", {1, 1, huge})
        .node("AveragePool", {"x"}, {"y"},
              {onnx_attribute("kernel_shape", {3}), onnx_attribute("strides", {1 << 30}),
               onnx_attribute("auto_pad", "SAME_UPPER")})
        .value_info("y", {1, 1, 1})
        .output("y");
    EXPECT_NE(opaque_reason(pooled).find("is out of range"), std::string::npos);
    OnnxWriter padded(10);
    padded.input("x", {4})
        .node("Pad", {"x"}, {"y"},
              {onnx_attribute("pads", {std::numeric_limits<std::int64_t>::min(), 0})})
        .value_info("y", {4})
        .output("y");
    EXPECT_EQ(opaque_reason(padded), "its pads are out of range");
    OnnxWriter blocks;
    blocks.input("x", {1, std::int64_t{1} << 40, 1 << 18, 1})
        .node("DepthToSpace", {"x"}, {"y"}, {onnx_attribute("blocksize", std::int64_t{1} << 20)})
        .value_info("y", {1})
        .output("y");
    error_of([&] { Imported{blocks}; });  // any sentence will do
}

TEST(OnnxBadInput, BodiesWithinBodiesHaveALimit) {
    WireWriter graph = OnnxWriter().node("Relu", {"x"}, {"r"}).output("r").graph();
    for (int depth = 0; depth < 100; ++depth) {
        graph = OnnxWriter().node("If", {}, {"r"}, {onnx_attribute_graph("g", graph)}).graph();
    }
    OnnxWriter writer;
    writer.input("x", {1}).node("If", {"x"}, {"y"}, {onnx_attribute_graph("g", graph)}).output("y");
    EXPECT_NE(import_error(writer).find("nests bodies more than 32 deep"), std::string::npos);
}

}  // namespace
}  // namespace strata
