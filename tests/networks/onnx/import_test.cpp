// SPDX-License-Identifier: MIT
#include "networks/onnx/import.h"

#include "tests/networks/onnx/import_support.h"
#include "tests/support/temporary_directory.h"

#include <array>

namespace strata {
namespace {

// conv -> relu, with a weight and a bias.
OnnxWriter small_network() {
    OnnxWriter writer;
    writer.input("x", {1, 3, 8, 8})
        .weight("w", {4, 3, 3, 3})
        .weight("b", {4})
        .node("Conv", {"x", "w", "b"}, {"c"}, {onnx_attribute("pads", {1, 1, 1, 1})}, "conv1")
        .node("Relu", {"c"}, {"y"})
        .output("y");
    return writer;
}

TEST(OnnxImport, LayersTensorsAndRolesAreThoseOfTheFile) {
    const Imported imported(small_network());
    const Graph& graph = imported.graph;
    EXPECT_EQ(graph.name, "m");
    ASSERT_EQ(graph.layers.size(), 2u);
    EXPECT_EQ(graph.layers[0].name, "conv1");
    EXPECT_EQ(graph.layers[1].name, "y");  // unnamed, so it has the name of its output
    EXPECT_EQ(imported.tensor("x").role, Role::input);
    EXPECT_EQ(imported.tensor("w").role, Role::parameter);
    EXPECT_EQ(imported.tensor("c").role, Role::activation);
    EXPECT_EQ(graph.tensors[graph.outputs.at(0)].name, "y");
    EXPECT_EQ(imported.dims("y"), (Dims{1, 4, 8, 8}));
    EXPECT_EQ(parameter_count(graph), 4 * 27 + 4);
}

TEST(OnnxImport, WeightsAreViewsOfTheModelAndKeepItAlive) {
    const std::string model = small_network().model();
    const auto owner = std::make_shared<const std::string>(model);
    const Graph graph = import_onnx({.name = "m.onnx",
                                     .bytes = std::as_bytes(std::span(*owner)),
                                     .owner = owner,
                                     .folder = {}});
    for (const GraphTensor& tensor : graph.tensors) {
        if (tensor.role == Role::parameter) {
            const auto* start = reinterpret_cast<const std::byte*>(owner->data());
            EXPECT_GE(tensor.data->bytes.data(), start);
            EXPECT_LT(tensor.data->bytes.data(), start + owner->size());
            EXPECT_EQ(tensor.data->owner, owner);
        }
    }
}

TEST(OnnxImport, InputsThatRepeatInitializersAreNone) {
    OnnxWriter writer = small_network();
    writer.input("w", {4, 3, 3, 3}).input("b", {4});
    EXPECT_EQ(Imported(writer).graph.inputs.size(), 1u);
}

TEST(OnnxImport, OutputsAreInTheFilesOrder) {
    OnnxWriter writer = small_network();
    writer.output("c").output("y");
    const Graph graph = Imported(writer).graph;
    ASSERT_EQ(graph.outputs.size(), 2u);
    EXPECT_EQ(graph.tensors[graph.outputs[0]].name, "y");
    EXPECT_EQ(graph.tensors[graph.outputs[1]].name, "c");
}

TEST(OnnxImport, NodesOutOfOrderAreSortedAndUnreadOnesLeftOut) {
    OnnxWriter writer;
    writer.input("x", {1, 4})
        .node("Tanh", {"b"}, {"c"})
        .node("Sigmoid", {"x"}, {"unread"})
        .node("Relu", {"a"}, {"b"})
        .node("Elu", {"x"}, {"a"})
        .output("c");
    const Graph graph = Imported(writer).graph;
    ASSERT_EQ(graph.layers.size(), 3u);
    EXPECT_EQ(graph.layers[0].name, "a");
    EXPECT_EQ(graph.layers[2].name, "c");
}

TEST(OnnxImport, RepeatedAndHostileNamesBecomeUniqueAndPrintable) {
    OnnxWriter writer;
    writer.input("x", {1, 4})
        .node("Relu", {"x"}, {"a\x1b"}, {}, "layer")
        .node("Relu", {"a\x1b"}, {"a\x01"}, {}, "layer")
        .output("a\x01");
    const Graph graph = Imported(writer).graph;
    EXPECT_EQ(graph.layers[0].name, "layer");
    EXPECT_EQ(graph.layers[1].name, "layer_2");
    EXPECT_EQ(graph.tensors[1].name, "a?");
    EXPECT_EQ(graph.tensors[2].name, "a?_2");
}

TEST(OnnxImport, AFileIsNamedByItsStemAndItsExternalWeightsAreFoundBesideIt) {
    const TemporaryDirectory folder;
    folder.write("weights.bin", std::string(16, '\0') + std::string(48, '\1'));
    const auto entry = [](const char* key, const char* value) {
        return WireWriter().text(1, key).text(2, value);
    };
    const auto weight = WireWriter()
                            .integer(1, 3)
                            .integer(1, 4)
                            .integer(2, 1)
                            .text(8, "w")
                            .message(13, entry("location", "weights.bin"))
                            .message(13, entry("offset", "16"))
                            .message(13, entry("length", "48"))
                            .integer(14, 1);
    const auto path = folder.write("net.onnx", OnnxWriter()
                                                   .input("x", {1, 3})
                                                   .initializer(weight)
                                                   .node("MatMul", {"x", "w"}, {"y"})
                                                   .output("y")
                                                   .model());
    const Graph graph = import_onnx(path);
    EXPECT_EQ(graph.name, "net");
    EXPECT_EQ(graph.tensors.at(1).data->bytes[0], std::byte{1});
    std::filesystem::resize_file(folder.path() / "weights.bin", 60);
    EXPECT_NE(error_of([&] {
                  import_onnx(path);
              }).find("'w' has 48 bytes at 16 of 'weights.bin', which has only 60"),
              std::string::npos);
    std::filesystem::remove(folder.path() / "weights.bin");
    const std::string missing = error_of([&] { import_onnx(path); });
    EXPECT_NE(missing.find("its weights are in 'weights.bin'"), std::string::npos) << missing;
    EXPECT_NE(missing.find("put that file next to the model"), std::string::npos) << missing;
}

std::string model_with_weight_at(std::string_view location) {
    const auto weight =
        WireWriter().integer(1, 1).integer(2, 1).text(8, "w").integer(14, 1).message(
            13, WireWriter().text(1, "location").text(2, location));
    return OnnxWriter()
        .input("x", {1, 1})
        .initializer(weight)
        .node("Add", {"x", "w"}, {"y"})
        .output("y")
        .model();
}

TEST(OnnxImport, ExternalWeightsOutsideTheModelsFolderAreRefused) {
    const TemporaryDirectory folder;
    std::filesystem::create_symlink("/etc", folder.path() / "link");
    for (const char* location : {"../secret", "/etc/passwd", "a/../../b", "", "link/passwd"}) {
        const auto path = folder.write("net.onnx", model_with_weight_at(location));
        EXPECT_NE(error_of([&] { import_onnx(path); }).find("outside the model's folder"),
                  std::string::npos)
            << location;
    }
}

TEST(OnnxImport, ALocationWithANulIsRefused) {
    const TemporaryDirectory folder;
    folder.write("w.bin", std::string(4, '\0'));
    const auto path =
        folder.write("net.onnx", model_with_weight_at(std::string("w.bin\0.txt", 10)));
    EXPECT_NE(error_of([&] {
                  import_onnx(path);
              }).find("its data is in 'w.bin?.txt', a name with a NUL in it"),
              std::string::npos);
}

TEST(OnnxImport, AnOpenBatchIsOneOrTheRequestedOne) {
    OnnxWriter writer;
    writer.input("x", {-1, 4}).node("Relu", {"x"}, {"y"}).output("y");
    EXPECT_EQ(Imported(writer).dims("y"), (Dims{1, 4}));
    EXPECT_EQ(Imported(writer, {.batch = 8, .dims = {}}).dims("y"), (Dims{8, 4}));
    EXPECT_EQ(Imported(writer, {.batch = {}, .dims = {{"N", 3}}}).dims("y"), (Dims{3, 4}));
}

TEST(OnnxImport, AFixedBatchIsChangedTogetherWithReshapesThatRepeatIt) {
    OnnxWriter writer;
    writer.input("x", {2, 4, 3})
        .integers("shape", {2, 12})
        .integers("merged", {8, 3})
        .node("Reshape", {"x", "shape"}, {"a"})
        .node("Reshape", {"x", "merged"}, {"b"})
        .output("a")
        .output("b");
    const Imported imported(writer, {.batch = 5, .dims = {}});
    EXPECT_EQ(imported.dims("a"), (Dims{5, 12}));
    EXPECT_EQ(imported.dims("b"), (Dims{20, 3}));
}

TEST(OnnxImport, AnOpenExtentWithoutAValueNamesTheOptionToGive) {
    OnnxWriter writer;
    writer.input("x", {-1, 3, -2, -2}).node("Relu", {"x"}, {"y"}).output("y");
    EXPECT_EQ(import_error(writer),
              "'m.onnx': the extent 'N2' of an input is open; give --dim N2=VALUE");
    EXPECT_EQ(Imported(writer, {.batch = {}, .dims = {{"N2", 7}}}).dims("y"), (Dims{1, 3, 7, 7}));
    EXPECT_EQ(import_error(writer, {.batch = {}, .dims = {{"N2", 7}, {"M", 7}}}),
              "'m.onnx': no input has an extent 'M'; those that can be given are: N, N2");
    EXPECT_EQ(import_error(writer, {.batch = 0, .dims = {}}),
              "'m.onnx': a batch of 0 is invalid; give at least 1");
}

TEST(OnnxImport, AnUnknownOperatorIsOpaqueWithTheShapeThatTheFileStates) {
    OnnxWriter writer;
    writer.input("x", {-1, 4})
        .node("Frobnicate", {"x"}, {"a"}, {}, "odd")
        .node("Relu", {"a"}, {"y"})
        .value_info("a", {-1, 6})
        .output("y");
    const Imported imported(writer, {.batch = 3, .dims = {}});
    EXPECT_EQ(imported.op<Opaque>(), (Opaque{"Frobnicate", "this operator is not supported"}));
    EXPECT_EQ(imported.dims("y"), (Dims{3, 6}));
}

TEST(OnnxImport, ExtentsThatDependOnValuesAreOpaqueAndSaySo) {
    OnnxWriter writer;
    writer.input("x", {4}).node("NonZero", {"x"}, {"y"}).value_info("y", {1, 4}).output("y");
    EXPECT_EQ(opaque_reason(writer), "the size of its result depends on the values");
    OnnxWriter sequence;
    sequence.node("SequenceEmpty", {}, {"y"}).output("y");
    EXPECT_EQ(opaque_reason(sequence), "sequences of tensors are not supported");
}

// A language model's embedding and last product, as exporters write them.
TEST(OnnxImport, AMatrixAndItsTransposeAreOneParameter) {
    for (const bool is_gemm : {false, true}) {
        OnnxWriter writer;
        writer.input("ids", {6}, 7).weight("w", {9, 4}).node("Gather", {"w", "ids"}, {"h"});
        writer.node("Transpose", {"w"}, {"turned"})
            .node(is_gemm ? "Gemm" : "MatMul", {"h", "turned"}, {"y"});
        writer.output("y");
        const Imported imported(writer);
        EXPECT_EQ(parameter_count(imported.graph), 36) << is_gemm;
        EXPECT_EQ(imported.dims("y"), (Dims{6, 9}));
        EXPECT_EQ(imported.graph.layers[1].inputs[1], imported.graph.layers[0].inputs[1]);
    }
}

TEST(OnnxImport, AWeightThatTwoProductsReadIsOneParameter) {
    OnnxWriter writer;
    writer.input("x", {2, 4}).weight("w", {4, 4}).node("Identity", {"w"}, {"again"});
    writer.node("Gemm", {"x", "w"}, {"a"}).node("Gemm", {"a", "w"}, {"b"});
    writer.node("MatMul", {"b", "w"}, {"c"}).node("MatMul", {"c", "again"}, {"y"}).output("y");
    const Graph graph = Imported(writer).graph;
    EXPECT_EQ(graph.layers[0].inputs[1], graph.layers[1].inputs[1]);
    EXPECT_EQ(graph.layers[2].inputs[1], graph.layers[3].inputs[1]);
}

TEST(OnnxImport, WhatFollowsAnUnknownShapeIsOpaqueAndSaysWhere) {
    OnnxWriter writer;
    writer.input("x", {1, 4})
        .node("Frobnicate", {"x"}, {"a"}, {}, "odd")
        .node("Relu", {"a"}, {"b"})
        .node("Relu", {"b"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Opaque>(1).reason,
              "the shape of what node 'odd' (Frobnicate) produces is not known");
    EXPECT_EQ(imported.op<Opaque>(2).reason,
              "the shape of what node 'odd' (Frobnicate) produces is not known");
    EXPECT_EQ(imported.dims("y"), Dims{0});
}

TEST(OnnxImport, OperatorsOfOtherDomainsAreOpaque) {
    OnnxWriter writer;
    writer.input("x", {1, 4}).node("Relu", {"x"}, {"y"}, {}, "", "com.example").output("y");
    EXPECT_EQ(opaque_reason(writer), "domain 'com.example' is not supported");
}

TEST(OnnxImport, ControlFlowIsOpaqueAndKeepsWhatItsBodiesRead) {
    const OnnxWriter body = OnnxWriter().node("Relu", {"inner"}, {"r"}).output("r");
    OnnxWriter writer;
    writer.input("x", {1, 4})
        .input("condition", {}, 9)
        .node("Tanh", {"x"}, {"inner"})
        .node("If", {"condition"}, {"y"}, {onnx_attribute_graph("then_branch", body.graph())})
        .output("y");
    const Imported imported(writer);
    ASSERT_EQ(imported.graph.layers.size(), 2u);  // Tanh is in use
    EXPECT_EQ(imported.op<Opaque>(1), (Opaque{"If", "its path depends on values"}));
    EXPECT_EQ(imported.graph.layers[1].inputs.size(), 2u);
}

TEST(OnnxImport, ASecondOutputThatIsReadMakesANodeOpaque) {
    OnnxWriter writer;
    writer.input("x", {1, 1, 4, 4})
        .node("MaxPool", {"x"}, {"y", "indices"}, {onnx_attribute("kernel_shape", {2, 2})})
        .output("y");
    EXPECT_EQ(Imported(writer).op<Pooling>().kind, PoolingKind::max);
    writer.output("indices");
    EXPECT_EQ(opaque_reason(writer), "its output 'indices' is read");
}

TEST(OnnxImport, QuotientsOfIntegersAreCutTowardsZero) {
    OnnxWriter writer;
    writer.input("x", {2, 3}, 7)
        .node("Transpose", {"x"}, {"a"})
        .node("Div", {"a", "a"}, {"y"})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Transpose>(0).permutation, (Dims{1, 0}));
    EXPECT_EQ(imported.op<Cast>(1).dtype, DataType::f32);
    EXPECT_EQ(imported.op<Elementwise>(2).kind, ElementwiseKind::divide);
    EXPECT_EQ(imported.op<Cast>(3).dtype, DataType::s64);
}

TEST(OnnxImport, FunctionsOfFloatsRefuseIntegers) {
    OnnxWriter writer;
    writer.input("x", {2, 3}, 7).node("Softmax", {"x"}, {"y"}).output("y");
    EXPECT_EQ(opaque_reason(writer), "arithmetic on integers is known for shapes only");
}

TEST(OnnxImport, InputsWhoseValuesAreKnownAreConstants) {
    OnnxWriter writer;
    writer.input("x", {2, 3}).input("target", {1}, 7).node("Reshape", {"x", "target"}, {"y"});
    OnnxOptions options;
    options.values.emplace("target",
                           constant_of({{1}, DataType::s64}, std::array<std::int64_t, 1>{6}));
    const Imported imported(writer.output("y"), options);
    EXPECT_EQ(imported.dims("y"), Dims{6});
    EXPECT_EQ(imported.graph.inputs.size(), 1U);
}

TEST(OnnxImport, ARefusedNodeLeavesNothingBehind) {
    OnnxWriter writer;
    writer.input("x", {4, 4})
        .initializer(onnx_floats("depth", {}, {3}))
        .initializer(onnx_floats("values", {3}, {0, 1, 2}))
        .node("OneHot", {"x", "depth", "values"}, {"y"}, {}, "node")
        .value_info("y", {4, 4, 3})
        .output("y");
    const Imported imported(writer);
    EXPECT_EQ(imported.graph.layers.size(), 1U);
    EXPECT_EQ(imported.graph.layers[0].name, "node");
    EXPECT_EQ(imported.op<Opaque>().reason, "its values are not two");
}

TEST(OnnxImport, AConstantOutputIsACopyOfIt) {
    OnnxWriter writer;
    writer.weight("w", {2}).output("w");
    const Imported imported(writer);
    EXPECT_EQ(imported.op<Identity>(), Identity());
    EXPECT_EQ(imported.values("w"), (std::vector<float>{0, 0.25f}));
}

}  // namespace
}  // namespace strata
