// SPDX-License-Identifier: MIT
#include "graph/graph.h"
#include "tests/support/error_message.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

// The error about the small chain after a change.
template <class Change>
std::string complaint(Change&& change) {
    Graph graph = small_chain();
    change(graph);
    return error_of([&] { validate(graph); });
}

TEST(Validate, AcceptsTheBuildersGraphs) {
    EXPECT_EQ(complaint([](Graph&) {}), "no error");
    EXPECT_EQ(error_of([] { validate(small_diamond()); }), "no error");
}

TEST(Validate, NamesMustNotRepeat) {
    EXPECT_EQ(complaint([](Graph& graph) { graph.layers[1].name = "conv1"; }),
              "chain: layer \"conv1\": another layer has its name; rename one");
    EXPECT_EQ(complaint([](Graph& graph) { graph.tensors[1].name = "data"; }),
              "chain: two tensors are named \"data\"; rename one");
}

TEST(Validate, ALayerMustNotReadWhatALaterOneComputes) {
    const auto message =
        complaint([](Graph& graph) { std::swap(graph.layers[1], graph.layers[2]); });
    EXPECT_EQ(message,
              "chain: layer \"pool1\": it reads \"relu1\" before any layer computes it; put the "
              "layers in order without cycles");
}

TEST(Validate, ACycleIsRefused) {
    const auto message =
        complaint([](Graph& graph) { graph.layers[1].inputs[0] = graph.layers[1].outputs[0]; });
    EXPECT_NE(message.find("without cycles"), std::string::npos) << message;
}

TEST(Validate, IndicesMustExist) {
    EXPECT_NE(complaint([](Graph& graph) { graph.layers[0].inputs[0] = 999; }).find("999"),
              std::string::npos);
    EXPECT_NE(complaint([](Graph& graph) { graph.outputs = {999}; }).find("999"),
              std::string::npos);
}

TEST(Validate, AShapeMustMatchItsOperatorsRule) {
    const auto message = complaint([](Graph& graph) {
        graph.tensors[tensor_named(graph, "pool1")].tensor.dims = {2, 4, 5, 4};
    });
    EXPECT_EQ(message,
              "chain: layer \"pool1\": its result \"pool1\" is f32 2x4x5x4, but pooling gives f32 "
              "2x4x4x4; check the shapes of its inputs");
}

TEST(Validate, TwoLayersMustNotWriteOneTensor) {
    const auto message =
        complaint([](Graph& graph) { graph.layers[1].outputs = graph.layers[0].outputs; });
    EXPECT_NE(message.find("it writes \"conv1\", which is an input or already computed"),
              std::string::npos)
        << message;
}

TEST(Validate, InputsMustBeListedWithTheirRoles) {
    EXPECT_NE(complaint([](Graph& graph) {
                  graph.inputs.pop_back();
              }).find("\"labels\" has an input's role, but is not among the inputs"),
              std::string::npos);
    EXPECT_NE(complaint([](Graph& graph) {
                  graph.inputs.push_back(tensor_named(graph, "conv1.weight"));
              }).find("it has another role"),
              std::string::npos);
}

TEST(Validate, CarriedValuesMustFillTheirShape) {
    const auto message = complaint([](Graph& graph) {
        static constexpr std::byte few[3] = {};
        graph.tensors[0].data = TensorData{few, nullptr};
    });
    EXPECT_NE(message.find("carries 3 bytes"), std::string::npos) << message;
}

}  // namespace
}  // namespace strata
