// SPDX-License-Identifier: MIT
// Bytes follow the element type in which an execution holds each tensor: numbers counted by hand.
#include "graph/executed.h"
#include "graph/memory.h"
#include "graph/memory_profile.h"
#include "tests/physics/support.h"

namespace strata {
namespace {

Numerics numerics_of(DataType dtype, Mode mode) {
    return {.mode = mode, .dtype = dtype};
}

Footprint footprint(std::string_view network, DataType dtype, Mode mode) {
    Graph graph = zoo_graph(network);
    if (mode == Mode::inference) {
        graph = for_inference(std::move(graph));
    }
    return footprint_of(graph, {.numerics = numerics_of(dtype, mode)});
}

Work work_in(std::string_view network, std::string_view layer, Pass pass, DataType dtype,
             Mode mode) {
    const Graph graph = zoo_graph(network);
    const Layer& found = layer_of(graph, layer);
    return work_of(found.op, executed(signature_of(graph, found), numerics_of(dtype, mode)), pass);
}

TEST(Types, WeightsOfAnAnswerTakeTwoBytesInSixteenBitsAndMastersOfATrainingStepFour) {
    // Radford et al. 2019: 48 blocks of width 1600, 50,257 words, 1,024 positions.
    const double gpt = 50257.0 * 1600 + 1024 * 1600 + 48 * (12.0 * 1600 * 1600 + 13 * 1600) + 3200;
    EXPECT_EQ(static_cast<double>(parameter_count(zoo_graph("gpt-2-xl"))), gpt);
    const double alexnet = static_cast<double>(parameter_count(zoo_graph("alexnet")));
    for (const auto& [network, parameters] :
         {std::pair("gpt-2-xl", gpt), std::pair("alexnet", alexnet)}) {
        for (const DataType dtype : {DataType::f16, DataType::bf16}) {
            const double inference =
                footprint(network, dtype, Mode::inference).parameters.value / parameters;
            // (A mask of the attention is a constant, not a weight.)
            EXPECT_NEAR(inference, 2, 0.01) << network;
            const Footprint training = footprint(network, dtype, Mode::training);
            EXPECT_NEAR(training.parameters.value / parameters, 4, 0.01) << network;
            EXPECT_EQ(training.optimizer.value, 4 * parameters) << network;
        }
        EXPECT_NEAR(
            footprint(network, DataType::f32, Mode::inference).parameters.value / parameters, 4,
            0.01);
    }
}

TEST(Types, RunningStatisticsStayInSinglePrecision) {
    // He et al. 2015: 25,557,032 parameters; a mean and a variance for each of 26,560 channels.
    EXPECT_EQ(footprint("resnet-50", DataType::bf16, Mode::inference).parameters,
              (Bytes{2 * 25557032.0 + 4 * 2 * 26560.0}));
    EXPECT_EQ(footprint("resnet-50", DataType::f32, Mode::inference).parameters,
              (Bytes{4 * 25557032.0 + 4 * 2 * 26560.0}));
}

TEST(Types, TheProfileByLayerAddsUpToTheSameBytes) {
    for (const Mode mode : {Mode::inference, Mode::training}) {
        Graph graph = zoo_graph("resnet-50", 2);
        if (mode == Mode::inference) {
            graph = for_inference(std::move(graph));
        }
        const Execution execution{.numerics = numerics_of(DataType::bf16, mode)};
        const MemoryProfile profile = memory_profile_of(graph, execution);
        const Footprint whole = footprint_of(graph, execution);
        EXPECT_EQ(profile.total.parameters, whole.parameters);
        EXPECT_EQ(profile.peak.sum(), whole.peak);
    }
}

TEST(Types, TrafficOfALayerFollowsTheTypeOfEachOperand) {
    // fc6: 9,216 inputs, 4,096 outputs, batch 1.
    const double weights = 9216.0 * 4096 + 4096, activations = 9216 + 4096;
    const auto traffic = [](DataType dtype, Mode mode) {
        return work_in("alexnet", "fc6", Pass::forward, dtype, mode).traffic().value;
    };
    EXPECT_EQ(traffic(DataType::f32, Mode::inference), 4 * (weights + activations));
    EXPECT_EQ(traffic(DataType::bf16, Mode::inference), 2 * (weights + activations));
    EXPECT_EQ(traffic(DataType::f16, Mode::inference), 2 * (weights + activations));
    EXPECT_EQ(traffic(DataType::bf16, Mode::training), 4 * weights + 2 * activations);
    // conv1: 96 filters of 3 x 11 x 11 on 3 x 227 x 227, giving 96 x 55 x 55.
    const double filters = 96 * 363 + 96, images = 3 * 227 * 227 + 96 * 55 * 55;
    EXPECT_EQ(
        work_in("alexnet", "conv1", Pass::forward, DataType::bf16, Mode::inference).traffic().value,
        2 * (filters + images));
    EXPECT_EQ(
        work_in("alexnet", "conv1", Pass::update, DataType::bf16, Mode::training).traffic().value,
        4 * 5 * filters);
}

TEST(Types, ALookUpReadsTheRowsThatItCopiesAndNotTheTable) {
    // 128 words of 768 numbers, with an index of eight bytes for each.
    const Work words =
        work_in("bert-base", "embeddings.words", Pass::forward, DataType::bf16, Mode::inference);
    EXPECT_EQ(words.read.value, 128 * (2 * 768 + 8));
    EXPECT_EQ(words.written.value, 128 * 2 * 768);
}

}  // namespace
}  // namespace strata
