// SPDX-License-Identifier: MIT
#include "backend/cpu/kernels/fold_loops.h"
#include "backend/cpu/onednn/engine.h"
#include "base/enumeration.h"
#include "graph/builder.h"
#include "networks/network.h"
#include "tests/backend/cpu/verified.h"
#include "tests/backend/networks.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace strata::testing {

namespace {

Execution fused(Mode mode, DataType dtype = DataType::f32) {
    Execution execution = kept_execution(mode, dtype);
    execution.engine.fusion = Fusion::convolution;
    return execution;
}

std::string inclusions(const Graph& graph, const Execution& execution) {
    return verified_inclusions(*cpu::make_backend(), graph, execution);
}

void expect_all_forms(DataType dtype) {
    const Execution answers = fused(Mode::inference, dtype);
    EXPECT_EQ(inclusions(fusable_chain(true, false, false), answers), "relu by conv\n");
    EXPECT_EQ(inclusions(fusable_chain(false, false, false), answers), "relu by conv\n");
    EXPECT_EQ(inclusions(fusable_chain(false, false, true), answers),
              "sum by conv\nrelu by conv\n");
    EXPECT_EQ(inclusions(fusable_chain(false, true, false), answers),
              "norm by conv\nrelu by conv\n");
    EXPECT_EQ(inclusions(fusable_chain(true, true, true), answers),
              "norm by conv\nsum by conv\nrelu by conv\n");
    const Execution trains = fused(Mode::training, dtype);
    EXPECT_EQ(inclusions(fusable_chain(true, false, false), trains), "relu by conv\n");
    EXPECT_EQ(inclusions(fusable_chain(false, false, true), trains), "sum by conv\nrelu by conv\n");
    EXPECT_EQ(inclusions(fusable_chain(true, true, false), trains), "");
}

TEST(CpuFusion, EveryFormInfersAndTrainsAsTheReferenceDoes) {
    expect_all_forms(DataType::f32);
}

TEST(CpuFusion, EveryFormInfersAndTrainsInBf16AsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    expect_all_forms(DataType::bf16);
}

TEST(CpuFusion, NetworksInferAndTrainAsTheReferenceDoes) {
    for (const Graph& graph : {residual_network(), branching_network()}) {
        EXPECT_NE(inclusions(for_inference(graph), fused(Mode::inference)), "");
        verify_graph(graph, fused(Mode::training));
    }
    EXPECT_EQ(inclusions(for_inference(branching_network()), fused(Mode::inference)),
              "stem.relu by stem\nleft.relu by left\nright.relu by right\n"
              "hidden.relu by hidden\n");
}

TEST(CpuFusion, ConvolutionsByWinogradInferAsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of_winograd());
    Execution execution = fused(Mode::inference);
    execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    EXPECT_EQ(verify_graph(fusable_chain(true, true, true), execution), "");
}

TEST(CpuFusion, OurOwnConvolutionsInferAndTrainAsTheReferenceDoes) {
    using enum ConvolutionAlgorithm;
    for (const auto algorithm : {gemm, implicit_gemm, winograd_2x2_3x3, winograd_4x4_3x3, fft}) {
        SCOPED_TRACE(name_of(algorithm));
        Execution answers = fused(Mode::inference);
        answers.engine.algorithm = algorithm;
        EXPECT_EQ(inclusions(fusable_chain(true, false, false), answers), "relu by conv\n");
        EXPECT_EQ(inclusions(fusable_chain(false, false, false), answers), "relu by conv\n");
        EXPECT_EQ(inclusions(fusable_chain(true, true, false), answers),
                  "norm by conv\nrelu by conv\n");
        EXPECT_EQ(inclusions(fusable_chain(true, true, true), answers),
                  "norm by conv\nsum by conv\nrelu by conv\n");
        Execution trains = fused(Mode::training);
        trains.engine.algorithm = algorithm;
        EXPECT_EQ(inclusions(fusable_chain(true, false, false), trains), "relu by conv\n");
        EXPECT_EQ(inclusions(fusable_chain(false, false, true), trains),
                  "sum by conv\nrelu by conv\n");
        EXPECT_EQ(inclusions(fusable_chain(true, true, false), trains), "");
    }
}

TEST(CpuFusion, WinogradLeavesASumOfPlainImagesSeparate) {
    Execution execution = fused(Mode::inference);
    execution.engine.algorithm = ConvolutionAlgorithm::winograd_4x4_3x3;
    execution.engine.image_layout = ImageLayout::channels_first;
    EXPECT_EQ(inclusions(fusable_chain(true, true, true), execution), "norm by conv\n");
    execution.engine.image_layout = ImageLayout::channels_last;
    EXPECT_EQ(inclusions(fusable_chain(true, true, true), execution),
              "norm by conv\nsum by conv\nrelu by conv\n");
}

TEST(CpuFusion, NetworksInBf16InferAndTrainAsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    for (const Graph& graph : {residual_network(), branching_network()}) {
        verify_graph(for_inference(graph), fused(Mode::inference, DataType::bf16));
        verify_graph(graph, fused(Mode::training, DataType::bf16));
    }
}

// Weights with groups have one more axis; 1x1 filters and a stride have other implementations.
TEST(CpuFusion, GroupsAreFoldedAsTheReferenceDoes) {
    GraphBuilder builder("groups");
    TensorId x = builder.input("data", {{2, 32, 9, 9}});
    for (const std::int64_t groups : {2, 32}) {
        const std::string name = "conv" + std::to_string(groups);
        x = builder.add(name,
                        Convolution{.out_channels = 32,
                                    .kernel = {3, 3},
                                    .stride = {2, 2},
                                    .pad_begin = {1, 1},
                                    .pad_end = {1, 1},
                                    .groups = groups},
                        {x});
        x = builder.add(name + ".norm", BatchNormalization{}, {x});
        x = builder.add(name + ".relu", Activation{}, {x});
    }
    EXPECT_EQ(inclusions(builder.finish(), fused(Mode::inference)),
              "conv2.norm by conv2\nconv2.relu by conv2\n"
              "conv32.norm by conv32\nconv32.relu by conv32\n");
}

// Channels that fill no block, so that the folded weights are padded.
TEST(CpuFusion, RaggedChannelsAreFoldedAsTheReferenceDoes) {
    GraphBuilder builder("ragged");
    const TensorId data = builder.input("data", {{3, 5, 7, 7}});
    TensorId x = builder.add("conv", Convolution{.out_channels = 19, .kernel = {3, 3}}, {data});
    x = builder.add("norm", BatchNormalization{}, {x});
    builder.add("relu", Activation{}, {x});
    EXPECT_EQ(inclusions(builder.finish(), fused(Mode::inference)), "norm by conv\nrelu by conv\n");
}

// Extents suitable for panels of weights.
TEST(CpuFusion, FullyConnectedLayersWithFewRowsInferAsTheReferenceDoes) {
    GraphBuilder builder("head");
    TensorId x = builder.input("data", {{3, 48, 1, 1}});
    x = builder.add("flat", Reshape{.dims = {0, -1}}, {x});
    x = builder.add("hidden", FullyConnected{.out_features = 192}, {x});
    x = builder.add("relu", Activation{}, {x});
    builder.add("last", FullyConnected{.out_features = 128, .bias = false}, {x});
    const Graph graph = builder.finish();
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::inference)), "");
    EXPECT_EQ(inclusions(graph, fused(Mode::inference)), "relu by hidden\n");
    verify_graph(graph, fused(Mode::training));
}

TEST(CpuFusion, LayersThatOthersReadStaySeparate) {
    GraphBuilder builder("read twice");
    const TensorId data = builder.input("data", {{2, 16, 5, 5}});
    const TensorId x =
        builder.add("conv", Convolution{.out_channels = 16, .kernel = {1, 1}}, {data});
    const TensorId y = builder.add("relu", Activation{}, {x});
    builder.add("join", Concat{}, {x, y});
    EXPECT_EQ(inclusions(builder.finish(), fused(Mode::inference)), "");
}

// The value of the network's output after an iteration.
HostValues answer(const Graph& graph, const Execution& execution) {
    const auto executable = cpu::make_backend()->prepare(graph, execution);
    executable->run();
    return executable->read(graph.outputs.front(), Content::value);
}

// The largest difference between two results, relative to the largest value.
double difference(const HostValues& one, const HostValues& other) {
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        most = std::max(most, std::abs(static_cast<double>(one[i] - other[i])));
        scale = std::max(scale, std::abs(static_cast<double>(other[i])));
    }
    return most / scale;
}

// With shared memory, sums overwrite their other operand: a shortcut that a later layer or the
// convolution itself reads must survive.
Graph shortcuts() {
    GraphBuilder builder("shortcuts");
    const Convolution pointwise = {.out_channels = 16, .kernel = {1, 1}};
    TensorId x = builder.add("stem", pointwise, {builder.input("data", {{2, 16, 6, 6}})});
    const TensorId stem = x = builder.add("stem.relu", Activation{}, {x});
    const TensorId own = builder.add("own", pointwise, {x});
    x = builder.add("own.sum", Elementwise{}, {own, x});
    const TensorId later = builder.add("later", pointwise, {x});
    x = builder.add("later.sum", Elementwise{}, {later, stem});
    const TensorId last = builder.add("last", pointwise, {later});
    x = builder.add("last.sum", Elementwise{}, {last, x});
    builder.add("end", Concat{}, {x, stem});
    return builder.finish();
}

TEST(CpuFusion, SharedMemoryGivesTheSameAsKeptMemory) {
    using enum ConvolutionAlgorithm;
    for (const Graph& graph :
         {for_inference(residual_network()), shortcuts(), for_inference(branching_network())}) {
        const HostValues kept = answer(graph, kept_execution(Mode::inference));
        for (const auto algorithm : {direct, gemm, implicit_gemm, winograd_4x4_3x3, fft}) {
            Execution shared = fused(Mode::inference);
            shared.scheduling.memory = MemoryReuse::shared;
            shared.engine.algorithm = algorithm;
            EXPECT_LT(difference(answer(graph, shared), kept), 1e-5)
                << graph.name << ", " << name_of(algorithm);
        }
    }
}

TEST(CpuFusion, ASumOverwritesItsOtherOperandIfNothingElseReadsIt) {
    Execution shared = fused(Mode::inference);
    shared.scheduling.memory = MemoryReuse::shared;
    const Graph graph = for_inference(residual_network());
    std::size_t sums = 0;
    const auto executable = cpu::make_backend()->prepare(graph, shared);
    for (const Step& step : executable->steps()) {
        sums += step.implementation.find("add") != std::string::npos ? 1U : 0U;
        EXPECT_EQ(step.implementation.find("strata:loops"), std::string::npos);
    }
    EXPECT_EQ(sums, 2U);
}

TEST(CpuFusion, WrittenParametersAreFoldedAgain) {
    const Graph graph = fusable_chain(false, true, false);
    const auto executable = cpu::make_backend()->prepare(graph, fused(Mode::inference));
    const TensorId output = graph.outputs.front();
    executable->run();
    const HostValues before = executable->read(output, Content::value);
    const auto norm = std::ranges::find(graph.layers, "norm", &Layer::name);
    executable->write(norm->inputs[2], Content::value, HostValues(16, 100.0F));
    executable->run();
    EXPECT_GT(executable->read(output, Content::value).front(), before.front() + 50);
}

// In inference these are transformed before the first iteration.
TEST(CpuFusion, WrittenWeightsAreTransformedAgain) {
    const Graph graph = fusable_chain(true, false, false);
    for (const auto algorithm :
         {ConvolutionAlgorithm::winograd_4x4_3x3, ConvolutionAlgorithm::fft}) {
        Execution execution = fused(Mode::inference);
        execution.engine.algorithm = algorithm;
        const auto executable = cpu::make_backend()->prepare(graph, execution);
        executable->run();
        const auto conv = std::ranges::find(graph.layers, "conv", &Layer::name);
        executable->write(conv->inputs[1], Content::value, HostValues(16 * 16 * 9, 0.0F));
        executable->write(conv->inputs[2], Content::value, HostValues(16, 3.0F));
        executable->run();
        for (const float value : executable->read(graph.outputs.front(), Content::value)) {
            ASSERT_EQ(value, 3);
        }
    }
}

TEST(CpuFusion, AStepSaysWhatWasFusedIntoIt) {
    const auto executable =
        cpu::make_backend()->prepare(fusable_chain(true, true, true), fused(Mode::inference));
    const Step& step = executable->steps()[1];
    EXPECT_TRUE(step.implementation.ends_with(" fused with batch_normalization, add, relu"))
        << step.implementation;
    EXPECT_TRUE(executable->steps().back().runs());
}

TEST(CpuFusion, FoldingIsTheNormalisationOfTheResult) {
    const float scale = 3, shift = 5, mean = 2, variance = 4, weight = 7, bias = 11;
    const cpu::FoldedNormalization normalization = {.scale = &scale,
                                                    .shift = &shift,
                                                    .mean = &mean,
                                                    .variance = &variance,
                                                    .epsilon = 0,
                                                    .channels = 1};
    float folded_weight = 0, folded_bias = 0, without = 0;
    fold_into_weights(normalization, &weight, 1, &folded_weight);
    fold_into_bias(normalization, &bias, &folded_bias);
    fold_into_bias(normalization, nullptr, &without);
    EXPECT_FLOAT_EQ(folded_weight, 10.5F);
    EXPECT_FLOAT_EQ(folded_bias, 18.5F);
    EXPECT_FLOAT_EQ(without, 2);
}

}  // namespace

}  // namespace strata::testing
