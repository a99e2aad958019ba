// SPDX-License-Identifier: MIT
#include "graph/schedule.h"
#include "tests/graph/executions.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

bool in_place(const Graph& graph, std::string_view name, const Execution& execution = {}) {
    return runs_in_place(graph, graph.layers[layer_named(graph, name)], execution);
}

// data -> conv -> `op` "middle" -> conv.
Graph sandwich(const Op& op) {
    GraphBuilder build("sandwich");
    TensorId x = build.add("first", pointwise, {build.input("data", image)});
    x = build.add("middle", op, {x});
    build.add("last", pointwise, {x});
    return build.finish();
}

TEST(Sharing, AReluOverwritesAnInputThatOnlyItReads) {
    EXPECT_TRUE(in_place(small_chain(), "relu1"));
    EXPECT_FALSE(in_place(small_chain(), "pool1"));
    EXPECT_FALSE(in_place(small_chain(), "loss"));
}

TEST(Sharing, OnlyReshapesShareKeptMemory) {
    EXPECT_FALSE(in_place(sandwich(Activation{}), "middle", kept));
    EXPECT_TRUE(in_place(sandwich(Reshape{{0, 0, 16, 1}}), "middle", kept));
    EXPECT_FALSE(in_place(
        sandwich(Dropout{}), "middle",
        {.numerics = {.mode = Mode::inference}, .scheduling = {.memory = MemoryReuse::kept}}));
}

TEST(Sharing, AnActivationWhoseBackwardPassReadsItsInputWorksInPlaceOnlyInInference) {
    const Graph graph = sandwich(Activation{.kind = ActivationKind::softplus});
    EXPECT_FALSE(in_place(graph, "middle", training));
    EXPECT_TRUE(in_place(graph, "middle", inference));
}

TEST(Sharing, AMathematicalFunctionWorksInPlaceIfItsResultGivesItsSlope) {
    const Graph root = sandwich(Unary{UnaryKind::square_root});
    const Graph logarithm = sandwich(Unary{UnaryKind::logarithm});
    EXPECT_TRUE(in_place(root, "middle", training));
    EXPECT_FALSE(in_place(logarithm, "middle", training));
    EXPECT_TRUE(in_place(logarithm, "middle", inference));
    EXPECT_TRUE(in_place(sandwich(Unary{UnaryKind::floor}), "middle", training));
}

TEST(Sharing, AResultOfAnotherTypeHasItsOwnMemory) {
    GraphBuilder build("test of numbers");
    const TensorId x = build.add("first", pointwise, {build.input("data", image)});
    const TensorId y = build.add("is_nan", Unary{UnaryKind::is_nan}, {x});
    build.add("not", Unary{UnaryKind::logical_not}, {y});
    const Graph graph = build.finish();
    EXPECT_FALSE(in_place(graph, "is_nan", inference));
}

TEST(Sharing, DropoutWorksInPlaceOnlyInInference) {
    EXPECT_FALSE(in_place(sandwich(Dropout{}), "middle", training));
    EXPECT_TRUE(in_place(sandwich(Dropout{}), "middle", inference));
}

TEST(Sharing, AnOverwrittenTensorMayHaveNoOtherReader) {
    GraphBuilder build("branch");
    const TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    build.add("relu", Activation{}, {x});
    build.add("other", pointwise, {x});
    EXPECT_FALSE(in_place(build.finish(), "relu"));
}

TEST(Sharing, AnOverwrittenTensorMayHaveNoReaderThroughAReshape) {
    GraphBuilder build("hidden branch");
    const TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    const TensorId flat = build.add("flat", Reshape{{0, -1}}, {x});
    build.add("relu", Activation{}, {flat});
    build.add("other", pointwise, {x});
    EXPECT_FALSE(in_place(build.finish(), "relu"));
}

TEST(Sharing, AnInputOrAnOutputOfTheNetworkIsNotOverwritten) {
    GraphBuilder build("edges");
    const TensorId data = build.input("data", image);
    build.add("relu1", Activation{}, {data});
    const TensorId x = build.add("conv", pointwise, {data});
    const TensorId y = build.add("relu2", Activation{}, {x});
    const Graph graph = build.finish({x, y});
    EXPECT_FALSE(in_place(graph, "relu1"));
    EXPECT_FALSE(in_place(graph, "relu2"));
}

TEST(Sharing, AReshapedInputOfTheNetworkIsNotOverwritten) {
    GraphBuilder build("reshaped input");
    const TensorId flat = build.add("flat", Reshape{{0, -1}}, {build.input("data", image)});
    build.add("relu", Activation{}, {flat});
    const Graph graph = build.finish();
    EXPECT_TRUE(in_place(graph, "flat", inference));
    EXPECT_FALSE(in_place(graph, "relu", inference));
}

TEST(Sharing, AResultThatItsOwnBackwardPassReadsIsNotOverwritten) {
    GraphBuilder build("two activations");
    TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    x = build.add("sigmoid", Activation{.kind = ActivationKind::sigmoid}, {x});
    x = build.add("relu", Activation{}, {x});
    build.add("last", pointwise, {x});
    const Graph graph = build.finish();
    EXPECT_TRUE(in_place(graph, "sigmoid", training));
    EXPECT_FALSE(in_place(graph, "relu", training));
    EXPECT_TRUE(in_place(graph, "relu", inference));
}

TEST(Sharing, GradientsShareMemoryIfOneReaderPassesThemOn) {
    const Graph graph = small_chain();
    const Sharing sharing = sharing_of(graph, training);
    const TensorId conv = tensor_named(graph, "conv1");
    const TensorId relu = tensor_named(graph, "relu1");
    EXPECT_EQ(sharing.value[relu], conv);
    EXPECT_EQ(sharing.gradient[relu], conv);
    EXPECT_EQ(sharing_of(graph, inference).gradient[relu], relu);
}

TEST(Sharing, AGivenGradientIsNotOverwritten) {
    GraphBuilder build("ends in relu");
    const TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    const TensorId y = build.add("relu", Activation{}, {x});
    const Sharing sharing = sharing_of(build.finish(), training);
    EXPECT_EQ(sharing.value[y], x);
    EXPECT_EQ(sharing.gradient[y], y);
}

TEST(Sharing, SummedGradientsStaySeparateAfterAReshape) {
    GraphBuilder build("reshape branch");
    const TensorId x = build.add("conv", pointwise, {build.input("data", image)});
    const TensorId flat = build.add("flat", Reshape{{0, -1}}, {x});
    build.add("fc", FullyConnected{.out_features = 3}, {flat});
    build.add("other", pointwise, {x});
    const Sharing sharing = sharing_of(build.finish(), training);
    EXPECT_EQ(sharing.value[flat], x);
    EXPECT_EQ(sharing.gradient[flat], flat);
}

TEST(Sharing, OwnersOwnThemselves) {
    const Sharing sharing = sharing_of(small_chain(), training);
    for (TensorId id = 0; id < sharing.value.size(); ++id) {
        EXPECT_EQ(sharing.value[sharing.value[id]], sharing.value[id]);
        EXPECT_EQ(sharing.gradient[sharing.gradient[id]], sharing.gradient[id]);
    }
}

}  // namespace
}  // namespace strata
