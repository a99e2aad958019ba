// SPDX-License-Identifier: MIT
#include "graph/memory_profile.h"

#include "networks/network.h"
#include "tests/graph/executions.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

namespace strata {
namespace {

const LayerMemory& memory_of(const MemoryProfile& profile, const Graph& graph, const char* layer) {
    return profile.layers[layer_named(graph, layer)];
}

TEST(MemoryProfile, BuffersAtThePeakAddUpToThePeakOfEveryZooNetwork) {
    for (const ZooNetwork& network : zoo()) {
        const Graph graph = network.build(2);
        for (const Execution& execution : {training, inference}) {
            SCOPED_TRACE(network.name);
            const MemoryProfile profile = memory_profile_of(graph, execution);
            const Footprint footprint = footprint_of(graph, execution);
            EXPECT_EQ(profile.total.at_peak, footprint.peak);
            EXPECT_EQ(profile.peak.sum(), footprint.peak);
            EXPECT_EQ(profile.total.parameters, footprint.parameters);
            EXPECT_EQ(profile.total.optimizer, footprint.optimizer);
        }
    }
}

// conv1 and relu1 share one buffer of 2x4x8x8 values, which the backward passes read again.
TEST(MemoryProfile, MemoryThatLayersShareIsListedWithTheFirst) {
    const Graph graph = small_chain();
    const MemoryProfile profile = memory_profile_of(graph, training);
    EXPECT_EQ(memory_of(profile, graph, "conv1").activations.value, 4 * 2 * 4 * 8 * 8);
    EXPECT_EQ(memory_of(profile, graph, "conv1").kept.value, 4 * 2 * 4 * 8 * 8);
    EXPECT_EQ(memory_of(profile, graph, "relu1").activations.value, 0);
}

TEST(MemoryProfile, InferenceKeepsNothingAndHasNoGradients) {
    const MemoryProfile profile = memory_profile_of(small_chain(), inference);
    EXPECT_EQ(profile.total.kept.value, 0);
    EXPECT_EQ(profile.total.gradients.value, 0);
    EXPECT_EQ(profile.total.optimizer.value, 0);
}

TEST(MemoryProfile, AParameterThatTwoLayersReadIsCountedOnce) {
    GraphBuilder b("shared weight");
    const TensorId x = b.input("x", {{1, 10}});
    const TensorId w = b.constant("w", {{10, 10}}, Role::parameter);
    b.add_with_operands("second", MatMul{}, {b.add_with_operands("first", MatMul{}, {x, w}), w});
    const Graph graph = b.finish();
    const MemoryProfile profile = memory_profile_of(graph, {.numerics = {.optimizer = Adam{}}});
    EXPECT_EQ(memory_of(profile, graph, "first").parameters.value, 400);
    EXPECT_EQ(memory_of(profile, graph, "first").optimizer.value, 800);
    EXPECT_EQ(memory_of(profile, graph, "second").parameters.value, 0);
}

// Three results of 400 bytes in sequence: the peak is while b or c runs.
TEST(MemoryProfile, ThePeakIsNamedByItsFirstTask) {
    GraphBuilder build("by hand");
    TensorId x = build.input("x", {{1, 100}});
    for (const char* name : {"a", "b", "c"}) {
        x = build.add(name, FullyConnected{.out_features = 100, .bias = false}, {x});
    }
    const Graph graph = build.finish();
    const MemoryProfile profile = memory_profile_of(graph, inference);
    ASSERT_TRUE(profile.at.has_value());
    EXPECT_EQ(graph.layers[profile.at->layer].name, "b");
    EXPECT_EQ(profile.outside.activations.value, 400);
    EXPECT_EQ(profile.peak.activations.value, 1200);
}

TEST(MemoryProfile, AnEmptyNetworkNeedsNothing) {
    const MemoryProfile profile = memory_profile_of({}, training);
    EXPECT_EQ(profile.peak.sum().value, 0);
    EXPECT_EQ(profile.at, std::nullopt);
}

}  // namespace
}  // namespace strata
