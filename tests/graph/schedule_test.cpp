// SPDX-License-Identifier: MIT
#include "graph/schedule.h"

#include "tests/graph/executions.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

const Execution with_first_gradient = {
    .numerics = {.first_layer_gradient = FirstLayerGradient::computed}};

std::vector<std::string> words(const Graph& graph, const Schedule& schedule) {
    std::vector<std::string> result;
    for (const Task& task : schedule.tasks) {
        result.push_back(graph.layers[task.layer].name + " " + std::string(name_of(task.pass)));
    }
    return result;
}

std::vector<std::string> backward_words(const Graph& graph, const Execution& execution = {}) {
    auto all = words(graph, schedule_of(graph, execution));
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(graph.layers.size()));
    return all;
}

bool has_task(const Graph& graph, const Execution& execution, std::string_view word) {
    return std::ranges::count(words(graph, schedule_of(graph, execution)), word) == 1;
}

TEST(Schedule, ATrainingStepIsForwardThenBackwardWithImmediateUpdates) {
    EXPECT_EQ(words(small_chain(), schedule_of(small_chain(), training)),
              (std::vector<std::string>{"conv1 forward", "relu1 forward", "pool1 forward",
                                        "fc2 forward", "loss forward", "loss backward_data",
                                        "fc2 backward_weights", "fc2 backward_data", "fc2 update",
                                        "pool1 backward_data", "relu1 backward_data",
                                        "conv1 backward_weights", "conv1 update"}));
}

// Backpropagation through time belongs to the data pass; the weights' gradients depend on it.
TEST(Schedule, ARecurrentLayersDataComesBeforeItsWeights) {
    GraphBuilder build("sequence");
    const TensorId x = build.input("x", {{3, 2, 4}});
    const TensorId y = build.add("below", Recurrent{.hidden = 4}, {x});
    build.add("above", Recurrent{.hidden = 4}, {y});
    EXPECT_EQ(backward_words(build.finish()),
              (std::vector<std::string>{"above backward_data", "above backward_weights",
                                        "above update", "below backward_weights", "below update"}));
}

TEST(Schedule, InferenceIsEachLayerForward) {
    const Schedule schedule = schedule_of(small_chain(), inference);
    EXPECT_EQ(schedule.tasks.size(), small_chain().layers.size());
    EXPECT_EQ(std::ranges::count(schedule.needs_gradient, true), 0);
}

TEST(Schedule, TheGradientOfTheNetworksInputIsComputedOnlyOnRequest) {
    EXPECT_FALSE(has_task(small_chain(), training, "conv1 backward_data"));
    EXPECT_TRUE(has_task(small_chain(), with_first_gradient, "conv1 backward_data"));
    const TensorId data = tensor_named(small_chain(), "data");
    EXPECT_FALSE(schedule_of(small_chain(), training).needs_gradient[data]);
    EXPECT_TRUE(schedule_of(small_chain(), with_first_gradient).needs_gradient[data]);
}

TEST(Schedule, WithALossNoGradientComesFromOutside) {
    const Schedule schedule = schedule_of(small_chain(), training);
    EXPECT_EQ(std::ranges::count(schedule.gradient_given, true), 0);
    EXPECT_FALSE(schedule.needs_gradient[tensor_named(small_chain(), "loss")]);
    EXPECT_FALSE(schedule.needs_gradient[tensor_named(small_chain(), "labels")]);
    EXPECT_TRUE(schedule.needs_gradient[tensor_named(small_chain(), "fc2")]);
    EXPECT_TRUE(schedule.needs_gradient[tensor_named(small_chain(), "fc2.weight")]);
}

TEST(Schedule, ANetworkWithoutALossIsGivenAGradientAtItsOutput) {
    const Graph graph = small_diamond();
    const Schedule schedule = schedule_of(graph, training);
    EXPECT_EQ(std::ranges::count(schedule.gradient_given, true), 1);
    EXPECT_TRUE(schedule.gradient_given[tensor_named(graph, "join")]);
    EXPECT_EQ(backward_words(graph).front(), "join backward_data");
}

TEST(Schedule, AnOutputWithAGradientFromItsReadersIsNotGivenOne) {
    GraphBuilder build("two outputs");
    const TensorId x = build.input("x", {{2, 8}});
    const TensorId middle = build.add("fc1", FullyConnected{.out_features = 8}, {x});
    const TensorId last = build.add("fc2", FullyConnected{.out_features = 8}, {middle});
    const Schedule schedule = schedule_of(build.finish({middle, last}), training);
    EXPECT_FALSE(schedule.gradient_given[middle]);
    EXPECT_TRUE(schedule.needs_gradient[middle]);
    EXPECT_TRUE(schedule.gradient_given[last]);
}

TEST(Schedule, ALayerThatLeadsToNoLossHasNoBackwardPass) {
    GraphBuilder build("side branch");
    const TensorId x = build.input("x", {{2, 8}});
    const TensorId trunk = build.add("trunk", FullyConnected{.out_features = 8}, {x});
    build.add("side", FullyConnected{.out_features = 4}, {trunk});
    build.add("loss", SoftmaxCrossEntropy{}, {trunk});
    const Graph graph = build.finish();
    EXPECT_EQ(
        backward_words(graph),
        (std::vector<std::string>{"loss backward_data", "trunk backward_weights", "trunk update"}));
}

TEST(Schedule, LayersBeforeTheFirstParameterHaveNoBackwardPass) {
    GraphBuilder build("late parameters");
    TensorId x = build.input("x", {{2, 3, 4, 4}});
    x = build.add("pool", Pooling{.kernel = {2, 2}, .stride = {2, 2}}, {x});
    build.add("fc", FullyConnected{.out_features = 4}, {x});
    EXPECT_EQ(backward_words(build.finish()),
              (std::vector<std::string>{"fc backward_weights", "fc update"}));
}

TEST(Schedule, AnOpaqueLayerEndsTheGradientAndItsInputIsGivenOne) {
    GraphBuilder build("foreign middle");
    TensorId x = build.input("x", {{2, 8}});
    const TensorId before = build.add("before", FullyConnected{.out_features = 8}, {x});
    x = build.place("foreign", Opaque{"Foreign", "it is unknown"}, {before},
                    {{"foreign", {{2, 8}}, Role::activation, {}}})[0];
    x = build.add("after", FullyConnected{.out_features = 8}, {x});
    build.add("loss", SoftmaxCrossEntropy{}, {x});
    const Graph graph = build.finish();
    EXPECT_EQ(
        backward_words(graph),
        (std::vector<std::string>{"loss backward_data", "after backward_weights", "after update",
                                  "before backward_weights", "before update"}));
    const Schedule schedule = schedule_of(graph, training);
    EXPECT_TRUE(schedule.gradient_given[before]);
    EXPECT_FALSE(schedule.needs_gradient[tensor_named(graph, "foreign")]);
}

TEST(Schedule, ASharedParameterIsUpdatedOnceAfterAllItsGradients) {
    GraphBuilder build("tied");
    TensorId x = build.input("x", {{2, 8}});
    const TensorId weight = build.constant("w", {{8, 8}}, Role::parameter);
    const FullyConnected tied = {.out_features = 8, .bias = false};
    x = build.add_with_operands("first", tied, {x, weight});
    build.add_with_operands("second", tied, {x, weight});
    const Graph graph = build.finish();
    EXPECT_EQ(backward_words(graph),
              (std::vector<std::string>{"second backward_weights", "second backward_data",
                                        "first backward_weights", "first update"}));
    EXPECT_EQ(schedule_of(graph, training).updated_by[weight], LayerId{0});
}

TEST(Schedule, EachPassRunsAfterItsInputsExist) {
    for (const Graph& graph : {small_chain(), small_diamond()}) {
        const Schedule schedule = schedule_of(graph, with_first_gradient);
        const auto consumers = consumers_of(graph);
        std::vector<bool> ran_forward(graph.layers.size());
        std::vector<bool> ran_backward(graph.layers.size());
        for (const Task& task : schedule.tasks) {
            for (const TensorId id : graph.layers[task.layer].outputs) {
                for (const LayerId reader : consumers[id]) {
                    EXPECT_EQ(ran_forward[reader], task.pass != Pass::forward);
                    EXPECT_TRUE(task.pass == Pass::forward || ran_backward[reader]);
                }
            }
            ran_forward[task.layer] = true;
            ran_backward[task.layer] = ran_backward[task.layer] || task.pass != Pass::forward;
        }
    }
}

}  // namespace
}  // namespace strata
