// SPDX-License-Identifier: MIT
#include "graph/memory.h"
#include "graph/builder.h"
#include "networks/network.h"
#include "tests/graph/executions.h"
#include "tests/support/networks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata {
namespace {

const Buffer* find(std::span<const Buffer> buffers, BufferKind kind, TensorId tensor) {
    const auto found = std::ranges::find_if(buffers, [&](const Buffer& buffer) {
        return buffer.kind == kind && buffer.tensor == tensor;
    });
    return found == buffers.end() ? nullptr : &*found;
}

std::size_t task_of(const Graph& graph, std::string_view layer, Pass pass) {
    const auto tasks = schedule_of(graph, training).tasks;
    const auto found = std::ranges::find(tasks, Task{layer_named(graph, layer), pass});
    return static_cast<std::size_t>(found - tasks.begin());
}

std::size_t last_task(const Graph& graph) {
    return schedule_of(graph, training).tasks.size() - 1;
}

TEST(Lifetimes, AValueLastsToTheLastPassThatReadsIt) {
    const Graph graph = small_chain();
    const auto buffers = lifetimes_of(graph, training);
    // relu1 works in place, and its backward pass reads its result: one buffer, named after conv1.
    const Buffer* relu = find(buffers, BufferKind::value, tensor_named(graph, "conv1"));
    ASSERT_NE(relu, nullptr);
    EXPECT_EQ(relu->lifetime.first_task, task_of(graph, "conv1", Pass::forward));
    EXPECT_EQ(relu->lifetime.last_task, task_of(graph, "relu1", Pass::backward_data));
    EXPECT_EQ(find(buffers, BufferKind::value, tensor_named(graph, "relu1")), nullptr);
    // fc2 reads pool1's result for its weights; its own data gradient needs the weights only.
    const Buffer* pool = find(buffers, BufferKind::value, tensor_named(graph, "pool1"));
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->lifetime.last_task, task_of(graph, "fc2", Pass::backward_weights));
    EXPECT_EQ(pool->lifetime.size.value, 2 * 4 * 4 * 4 * 4);
}

TEST(Lifetimes, AGradientLastsFromItsFirstWriterToItsLastReader) {
    const Graph graph = small_chain();
    const auto buffers = lifetimes_of(graph, training);
    const Buffer* pool = find(buffers, BufferKind::gradient, tensor_named(graph, "pool1"));
    ASSERT_NE(pool, nullptr);
    EXPECT_EQ(pool->lifetime.first_task, task_of(graph, "fc2", Pass::backward_data));
    EXPECT_EQ(pool->lifetime.last_task, task_of(graph, "pool1", Pass::backward_data));
    EXPECT_EQ(find(buffers, BufferKind::gradient, tensor_named(graph, "data")), nullptr);
    EXPECT_EQ(find(buffers, BufferKind::gradient, tensor_named(graph, "loss")), nullptr);
}

TEST(Lifetimes, AWeightsGradientLivesOnlyForItsLayer) {
    const Graph graph = small_chain();
    const auto buffers = lifetimes_of(graph, training);
    const Buffer* weight = find(buffers, BufferKind::gradient, tensor_named(graph, "fc2.weight"));
    ASSERT_NE(weight, nullptr);
    EXPECT_EQ(weight->lifetime.first_task, task_of(graph, "fc2", Pass::backward_weights));
    EXPECT_EQ(weight->lifetime.last_task, task_of(graph, "fc2", Pass::update));
}

TEST(Lifetimes, SavedStateExistsOnlyForABackwardPass) {
    const Graph graph = small_chain();
    const TensorId pool = tensor_named(graph, "pool1");
    const auto of_training = lifetimes_of(graph, training);
    const Buffer* saved = find(of_training, BufferKind::saved, pool);
    ASSERT_NE(saved, nullptr);
    EXPECT_EQ(saved->lifetime.first_task, task_of(graph, "pool1", Pass::forward));
    EXPECT_EQ(saved->lifetime.last_task, task_of(graph, "pool1", Pass::backward_data));
    EXPECT_EQ(saved->lifetime.size.value, 2 * 4 * 4 * 4);  // one byte per output
    const auto of_inference = lifetimes_of(graph, inference);
    EXPECT_EQ(find(of_inference, BufferKind::saved, pool), nullptr);
}

TEST(Lifetimes, ARecurrentLayerKeepsItsGatesAndCells) {
    GraphBuilder build("sequence");
    build.add("lstm", Recurrent{.hidden = 8}, {build.input("x", {{3, 2, 4}})});
    const Graph graph = build.finish();
    const auto buffers = lifetimes_of(graph, training);
    const Buffer* gates = find(buffers, BufferKind::saved, tensor_named(graph, "lstm"));
    ASSERT_NE(gates, nullptr);
    EXPECT_EQ(gates->lifetime.size.value, 3 * 2 * 8 * (4 + 1) * 4);
}

TEST(Lifetimes, AnAttentionSavesALogarithmPerRowAndNotItsScores) {
    GraphBuilder builder("attention");
    const TensorId x = builder.input("x", Tensor{{2, 5, 8}});
    const TensorId q = builder.add("q", Activation{}, {x});
    const TensorId y = builder.add("y", Attention{.heads = 4}, {q, q, q});
    const Graph graph = builder.finish();
    const Execution computed = {.numerics = {.first_layer_gradient = FirstLayerGradient::computed}};
    const auto buffers = lifetimes_of(graph, computed);
    const Buffer* saved = find(buffers, BufferKind::saved, y);
    ASSERT_NE(saved, nullptr);
    EXPECT_EQ(saved->lifetime.size.value, 4 * 2 * 4 * 5);
}

TEST(Lifetimes, InputsAndOutputsLastToTheEnd) {
    const Graph graph = small_chain();
    const auto buffers = lifetimes_of(graph, training);
    for (const TensorId input : graph.inputs) {
        const Buffer* buffer = find(buffers, BufferKind::value, input);
        ASSERT_NE(buffer, nullptr);
        EXPECT_EQ(buffer->lifetime.first_task, 0U);
        EXPECT_EQ(buffer->lifetime.last_task, last_task(graph));
    }
    const Buffer* loss = find(buffers, BufferKind::value, tensor_named(graph, "loss"));
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->lifetime.first_task, task_of(graph, "loss", Pass::forward));
    EXPECT_EQ(loss->lifetime.last_task, last_task(graph));
}

TEST(Lifetimes, ASecondReaderContributesThroughItsOwnBuffer) {
    const Graph graph = small_diamond();
    const auto buffers = lifetimes_of(graph, training);
    const TensorId stem = tensor_named(graph, "stem");
    const Buffer* gradient = find(buffers, BufferKind::gradient, stem);
    const Buffer* contribution = find(buffers, BufferKind::contribution, stem);
    ASSERT_NE(gradient, nullptr);
    ASSERT_NE(contribution, nullptr);
    EXPECT_EQ(gradient->lifetime.first_task, task_of(graph, "right", Pass::backward_data));
    EXPECT_EQ(contribution->lifetime.first_task, task_of(graph, "left", Pass::backward_data));
    EXPECT_EQ(contribution->lifetime.last_task, contribution->lifetime.first_task);
}

TEST(Lifetimes, ATensorReadTwiceByOneLayerGetsTwoGradients) {
    GraphBuilder build("doubled");
    const TensorId x =
        build.add("fc", FullyConnected{.out_features = 4}, {build.input("x", {{2, 4}})});
    build.add("double", Elementwise{}, {x, x});
    const auto buffers = lifetimes_of(build.finish(), training);
    EXPECT_NE(find(buffers, BufferKind::contribution, x), nullptr);
}

TEST(Lifetimes, AProductReadsOnlyTheOtherFactor) {
    GraphBuilder build("gate");
    const TensorId data = build.input("data", {{2, 4}});
    const TensorId x = build.add("fc", FullyConnected{.out_features = 4}, {data});
    const TensorId gate = build.input("gate", {{2, 4}});
    const TensorId y = build.add("product", Elementwise{ElementwiseKind::multiply}, {x, gate});
    build.add("last", FullyConnected{.out_features = 4}, {y});
    const Graph graph = build.finish();
    const auto buffers = lifetimes_of(graph, training);
    const Buffer* value = find(buffers, BufferKind::value, x);
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->lifetime.last_task, task_of(graph, "product", Pass::forward));
}

TEST(Lifetimes, KeptMemoryLastsFromStartToEnd) {
    const Graph graph = small_chain();
    const auto buffers = lifetimes_of(graph, kept);
    EXPECT_NE(find(buffers, BufferKind::value, tensor_named(graph, "relu1")), nullptr);
    for (const Buffer& buffer : buffers) {
        EXPECT_EQ(buffer.lifetime.first_task, 0U);
        EXPECT_EQ(buffer.lifetime.last_task, last_task(graph));
    }
}

TEST(Footprint, MatchesAHandCountForAChain) {
    GraphBuilder build("by hand");
    TensorId x = build.input("x", {{1, 100}});
    for (const char* name : {"a", "b", "c"}) {
        x = build.add(name, FullyConnected{.out_features = 100, .bias = false}, {x});
    }
    const Footprint footprint = footprint_of(build.finish(), inference);
    EXPECT_EQ(footprint.parameters.value, 3 * 40000);
    EXPECT_EQ(footprint.optimizer.value, 0);
    EXPECT_EQ(footprint.gradients.value, 0);
    EXPECT_EQ(footprint.activations.value, 3 * 400);  // the input, and two results at a time
    EXPECT_EQ(footprint.peak.value, 3 * 40000 + 3 * 400);
}

TEST(Footprint, ThePeakIsAtMostTheSumOfTheParts) {
    for (const Graph& graph : {small_chain(), small_diamond()}) {
        for (const Execution& execution : {training, inference, kept}) {
            const Footprint part = footprint_of(graph, execution);
            EXPECT_LE(part.peak, part.parameters + part.optimizer + part.activations +
                                     part.gradients + part.saved);
            EXPECT_GE(part.peak, part.parameters + part.optimizer + part.activations);
        }
    }
}

TEST(Footprint, TrainingNeedsAtLeastInferencesMemoryAndKeepingAtLeastSharings) {
    for (const Graph& graph : {small_chain(), small_diamond()}) {
        EXPECT_GE(footprint_of(graph, training).peak, footprint_of(graph, inference).peak);
        EXPECT_GE(footprint_of(graph, kept).peak, footprint_of(graph, training).peak);
    }
}

TEST(Footprint, HalfTheElementSizeHalvesTheActivations) {
    const Graph graph = small_diamond();
    const Execution half = {.numerics = {.dtype = DataType::bf16}};
    EXPECT_EQ(2 * footprint_of(graph, half).activations, footprint_of(graph, training).activations);
    EXPECT_EQ(footprint_of(graph, half).parameters, footprint_of(graph, training).parameters);
}

TEST(Footprint, TheLawsHoldForEveryZooNetwork) {
    for (const ZooNetwork& network : zoo()) {
        SCOPED_TRACE(network.name);
        const Graph graph = network.build(2);
        const Footprint part = footprint_of(graph, training);
        EXPECT_LE(part.peak, part.parameters + part.optimizer + part.activations + part.gradients +
                                 part.saved);
        EXPECT_GE(part.peak, footprint_of(graph, inference).peak);
        // Without its loss a network outputs probabilities, with as many elements as its scores.
        const Graph answering = for_inference(graph);
        const Bytes probabilities = answering.tensors[answering.outputs[0]].tensor.bytes();
        EXPECT_GE(footprint_of(graph, inference).peak + probabilities,
                  footprint_of(answering, inference).peak);
        EXPECT_EQ(part.optimizer.value, 4.0 * static_cast<double>(parameter_count(graph)));
        EXPECT_EQ(footprint_of(graph, {.numerics = {.optimizer = Sgd{}}}).optimizer.value, 0);
        EXPECT_EQ(footprint_of(graph, {.numerics = {.optimizer = Adam{}}}).optimizer.value,
                  2 * part.optimizer.value);
    }
}

TEST(Arena, HoldsEveryZooNetworkInLittleMoreThanItsPeak) {
    for (const ZooNetwork& network : zoo()) {
        const Graph graph = network.build(2);
        std::vector<Lifetime> lifetimes;
        for (const Buffer& buffer : lifetimes_of(graph, training)) {
            lifetimes.push_back(buffer.lifetime);
        }
        const Footprint part = footprint_of(graph, training);
        const double worst = (part.peak - part.parameters - part.optimizer).value;
        const double arena = plan_arena(lifetimes).size.value;
        EXPECT_GE(arena, worst) << network.name;
        EXPECT_LE(arena, 1.15 * worst) << network.name;
    }
}

TEST(CaffeData, CountsEveryTopAndASplitForEachOfSeveralReaders) {
    // stem is read twice: count it, two copies, and the results of its readers and their join.
    EXPECT_EQ(caffe_data_bytes(small_diamond()).value, 4 * 2 * 16 * (3 + 4 + 2 * 4 + 4 + 4 + 8));
}

TEST(CaffeTraining, CountsBlobsOfValueAndGradientAndThreeCopiesOfTheParameters) {
    // data, conv1, pool1 and fc2 have blobs; the ReLU works in place, labels and loss are omitted.
    const double blobs = 2 * (3 * 64 + 4 * 64 + 4 * 16 + 10);
    const double parameters = 4 * 27 + 4 + 640 + 10;
    EXPECT_EQ(caffe_training_bytes(small_chain()).value, 8 * blobs + 12 * parameters);
}

}  // namespace
}  // namespace strata
