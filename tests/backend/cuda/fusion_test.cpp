// SPDX-License-Identifier: MIT
#include "backend/cuda/engine.h"
#include "graph/builder.h"
#include "networks/network.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/networks.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

struct Numbers {
    DataType dtype = DataType::f32;
    SinglePrecision single_precision = SinglePrecision::full;
};

const std::vector<Numbers> all_numbers = {
    {DataType::f32}, {DataType::f32, SinglePrecision::tf32}, {DataType::f16}, {DataType::bf16}};

Execution fused(Mode mode, const Numbers& numbers = {},
                ImageLayout layout = ImageLayout::automatic) {
    Execution execution = kept_execution(mode, numbers.dtype);
    execution.numerics.single_precision = numbers.single_precision;
    execution.engine.image_layout = layout;
    execution.engine.fusion = Fusion::convolution;
    return execution;
}

std::string verified_inclusions(const Graph& graph, const Execution& execution) {
    return testing::verified_inclusions(*emulated_backend(), graph, execution);
}

class FusedForms : public ::testing::TestWithParam<ImageLayout> {};

TEST_P(FusedForms, InferInEveryTypeAsTheReferenceDoes) {
    for (const Numbers& numbers : all_numbers) {
        const Execution execution = fused(Mode::inference, numbers, GetParam());
        EXPECT_EQ(verified_inclusions(fusable_chain(true, false, false), execution),
                  "relu by conv\n");
        EXPECT_EQ(verified_inclusions(fusable_chain(false, false, false), execution),
                  "relu by conv\n");
        EXPECT_EQ(verified_inclusions(fusable_chain(false, false, true), execution),
                  "sum by conv\nrelu by conv\n");
        EXPECT_EQ(verified_inclusions(fusable_chain(false, true, false), execution),
                  "norm by conv\nrelu by conv\n");
        EXPECT_EQ(verified_inclusions(fusable_chain(true, true, true), execution),
                  "norm by conv\nsum by conv\nrelu by conv\n");
    }
}

TEST_P(FusedForms, TrainInEveryTypeAsTheReferenceDoes) {
    for (const Numbers& numbers : all_numbers) {
        const Execution execution = fused(Mode::training, numbers, GetParam());
        EXPECT_EQ(verified_inclusions(fusable_chain(true, false, false), execution),
                  "relu by conv\n");
        EXPECT_EQ(verified_inclusions(fusable_chain(false, false, true), execution),
                  "sum by conv\nrelu by conv\n");
        EXPECT_EQ(verified_inclusions(fusable_chain(true, true, false), execution), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Each, FusedForms,
                         ::testing::Values(ImageLayout::channels_first,
                                           ImageLayout::channels_last));

TEST(Fusion, NetworksInferAndTrainAsTheReferenceDoes) {
    for (const Graph& graph : {residual_network(), branching_network()}) {
        EXPECT_NE(verified_inclusions(for_inference(graph), fused(Mode::inference)), "");
        verified_inclusions(graph, fused(Mode::training));
        verified_inclusions(graph, fused(Mode::training, {DataType::bf16}));
    }
}

// The value of the network's output after an iteration in which memory is shared.
HostValues answer(const Graph& graph, Execution execution) {
    execution.scheduling.memory = MemoryReuse::shared;
    const auto executable = emulated_backend()->prepare(graph, execution);
    executable->run();
    return executable->read(graph.outputs.front(), Content::value);
}

TEST(Fusion, SharedMemoryGivesTheSameAsKeptMemory) {
    const Graph graph = for_inference(residual_network());
    const auto kept = emulated_backend()->prepare(graph, fused(Mode::inference));
    kept->run();
    EXPECT_EQ(answer(graph, fused(Mode::inference)),
              kept->read(graph.outputs.front(), Content::value));
}

TEST(Fusion, WrittenParametersAreFoldedAgain) {
    const Graph graph = fusable_chain(false, true, false);
    const auto executable = emulated_backend()->prepare(graph, fused(Mode::inference));
    const TensorId output = graph.outputs.front();
    executable->run();
    const HostValues before = executable->read(output, Content::value);
    const LayerId norm = 2;
    ASSERT_EQ(graph.layers[norm].name, "norm");
    const TensorId shift = graph.layers[norm].inputs[2];
    executable->write(shift, Content::value, HostValues(16, 100.0F));
    executable->run();
    EXPECT_GT(executable->read(output, Content::value).front(), before.front() + 50);
}

TEST(Fusion, AStepSaysWhatWasFusedIntoIt) {
    const Graph graph = fusable_chain(true, true, true);
    const auto program = cuda::prepare_program(graph, fused(Mode::inference), described_h200());
    const Step& step = program.steps[1].step;
    EXPECT_TRUE(step.implementation.ends_with(" fused with bias, batch_normalization, add, relu"))
        << step.implementation;
    EXPECT_TRUE(program.steps[2].calls.empty());
    EXPECT_TRUE(program.steps[2].step.within().has_value());
}

// cuDNN's precompiled engines fuse no three-dimensional convolution of this type; without a plan,
// the layers are computed one by one.
TEST(Fusion, WithoutAPlanTheLayersStaySeparateAndTheStepSaysWhy) {
    Execution execution = fused(Mode::inference);
    execution.engine.algorithm = ConvolutionAlgorithm::direct;
    GraphBuilder builder("volume");
    TensorId x = builder.input("data", {{2, 4, 5, 5, 5}});
    x = builder.add("conv", Convolution{.out_channels = 8, .kernel = {3, 3, 3}}, {x});
    builder.add("relu", Activation{}, {x});
    const Graph graph = builder.finish();
    const auto program = cuda::prepare_program(graph, execution, described_h200());
    const Step& step = program.steps.front().step;
    const bool is_fused = program.steps.back().step.within().has_value();
    EXPECT_NE(is_fused, step.algorithm.find("not fused") != std::string::npos) << step.algorithm;
    EXPECT_EQ(verified_inclusions(graph, execution).empty(), !is_fused);
}

TEST(Fusion, IsOffByDefault) {
    EXPECT_EQ(verified_inclusions(fusable_chain(true, true, true), kept_execution(Mode::inference)),
              "");
}

}  // namespace

}  // namespace strata::testing
