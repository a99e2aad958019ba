// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/engine.h"
#include "graph/builder.h"
#include "tests/backend/cpu/verified.h"
#include "tests/backend/networks.h"

#include <gtest/gtest.h>

// Images whose batch is innermost: --layout chwn.

namespace strata::testing {

namespace {

Execution batch_last(Mode mode = Mode::training) {
    Execution execution = kept_execution(mode);
    execution.engine.image_layout = ImageLayout::batch_last;
    return execution;
}

class Inner : public ::testing::TestWithParam<std::string> {};

TEST_P(Inner, TrainsBetweenConvolutions) {
    const Graph graph = graph_between_convolutions(GetParam());
    EXPECT_EQ(without_combined(verify_graph(graph, batch_last())), "");
}

TEST_P(Inner, InfersBetweenConvolutions) {
    const Graph graph = graph_between_convolutions(GetParam());
    EXPECT_EQ(verify_graph(graph, batch_last(Mode::inference)), "");
}

INSTANTIATE_TEST_SUITE_P(Each, Inner, ::testing::ValuesIn(inner_problems()), name_of_case);

// Other operators that strata's own loops over the batch must support, with batches that do not
// fill vectors.
INSTANTIATE_TEST_SUITE_P(
    Unusual, Inner,
    ::testing::Values("pooling(17x3x9x8) kernel=3x2 stride=2x1 pad_begin=1x1 pad_end=1x0",
                      "pooling(9x4x9x9) kernel=2x3 dilation=2x3 stride=2x2",
                      "pooling(9x4x7x9) kernel=3x3 stride=2x2 pad_begin=1x1 ceil_mode=true",
                      "pooling(5x6x7x6) global=true", "pooling(5x6x7x6) kind=average global=true",
                      "pooling(9x4x7x9) kind=average kernel=3x3 stride=2x2 pad_begin=1x1 "
                      "ceil_mode=true",
                      "lrn(19x7x5x3) size=3 alpha=0.5 k=2", "lrn(3x7x5x3) beta=0.6 alpha=0.3",
                      "lrn(2x7x5x3) size=4 alpha=0.3", "lrn(7x7x5x3)", "lrn(2x3x4x4) size=9",
                      "batch_normalization(17x3x5x4)", "softmax(5x4x3x3) axis=0",
                      "softmax(5x4x3x3) axis=-1", "dropout(9x4x3x3)",
                      "convolution(18x6x9x8) out_channels=10 kernel=3x3 groups=2 pad_begin=1x1",
                      "convolution(18x6x9x8) out_channels=6 kernel=3x3 groups=6 stride=2x2",
                      "convolution(18x4x11x9) out_channels=5 kernel=3x2 dilation=2x3 stride=3x2 "
                      "pad_begin=2x1 pad_end=1x2 bias=false",
                      "transposed_convolution(9x4x5x5) out_channels=6 kernel=3x3 stride=2x2"),
    name_of_case);

// A whole step of a small network with a classifier.
Graph classifier() {
    GraphBuilder builder("classifier");
    TensorId x = builder.input("x", {{20, 3, 19, 19}});
    x = builder.add("conv1", Convolution{.out_channels = 12, .kernel = {5, 5}, .stride = {2, 2}},
                    {x});
    x = builder.add("relu1", Activation{}, {x});
    x = builder.add("lrn1", Lrn{}, {x});
    x = builder.add("pool1", Pooling{.kernel = {2, 2}, .stride = {2, 2}}, {x});
    const TensorId left =
        builder.add("left", Convolution{.out_channels = 8, .kernel = {1, 1}}, {x});
    const TensorId right = builder.add("right",
                                       Convolution{.out_channels = 6,
                                                   .kernel = {3, 3},
                                                   .pad_begin = {1, 1},
                                                   .pad_end = {1, 1},
                                                   .groups = 2},
                                       {x});
    x = builder.add("concat", Concat{}, {left, right});
    x = builder.add("norm", BatchNormalization{}, {x});
    x = builder.add("pool2", Pooling{.kind = PoolingKind::average, .kernel = {2, 2}}, {x});
    x = builder.add("fc", FullyConnected{.out_features = 10}, {x});
    return builder.finish({builder.add("softmax", Softmax{}, {x})});
}

TEST(BatchLastNetwork, LearnsAndInfersAsTheReferenceDoes) {
    EXPECT_EQ(without_combined(verify_graph(classifier(), batch_last())), "");
    EXPECT_EQ(verify_graph(classifier(), batch_last(Mode::inference)), "");
    Execution separate = batch_last();
    separate.engine.bias = BiasAddition::separate;
    EXPECT_EQ(without_combined(verify_graph(classifier(), separate)), "");
}

TEST(BatchLastNetwork, ReordersOnlyBetweenImagesAndTheClassifier) {
    const Graph graph = classifier();
    const auto executable = cpu::make_backend()->prepare(graph, batch_last());
    std::vector<std::string> reorders;
    for (const Step& step : executable->steps()) {
        // The library may reorder a classifier's weights as well.
        if (step.kind == StepKind::reorder && step.layout.find("bcda") != std::string::npos) {
            reorders.push_back(step.layout);
        }
        const bool is_convolution =
            step.kind == StepKind::compute && step.pass != Pass::update &&
            std::holds_alternative<Convolution>(graph.layers[step.layer].op);
        if (is_convolution) {
            EXPECT_TRUE(step.implementation.starts_with("strata:direct-chwn")) << step.layout;
            EXPECT_EQ(step.algorithm, "direct");
            EXPECT_EQ(text_of(step.choice), "");
        }
    }
    EXPECT_EQ(reorders, (std::vector<std::string>{"bcda -> abcd", "abcd -> bcda"}));
}

TEST(BatchLastNetwork, OtherAlgorithmsReadReorderedImages) {
    for (const auto algorithm :
         {ConvolutionAlgorithm::gemm, ConvolutionAlgorithm::winograd_2x2_3x3,
          ConvolutionAlgorithm::automatic, ConvolutionAlgorithm::fft_tiled}) {
        Execution execution = batch_last();
        execution.engine.algorithm = algorithm;
        EXPECT_EQ(without_combined(verify_graph(classifier(), execution)), "")
            << name_of(algorithm);
    }
}

TEST(BatchLastNetwork, FusesWhatFollowsAConvolution) {
    Execution execution = batch_last(Mode::inference);
    execution.engine.fusion = Fusion::convolution;
    const auto backend = cpu::make_backend();
    EXPECT_EQ(verified_inclusions(*backend, fusable_chain(true, true, true), execution),
              "norm by conv\nsum by conv\nrelu by conv\n");
    EXPECT_EQ(verified_inclusions(*backend, fusable_chain(false, false, true), execution),
              "sum by conv\nrelu by conv\n");
}

TEST(BatchLastNetwork, LinesAndVolumesKeepTheLibrarysLayouts) {
    for (const char* problem : {"convolution(4x6x20) out_channels=5 kernel=3",
                                "convolution(2x3x5x6x7) out_channels=4 kernel=2x2x2"}) {
        EXPECT_EQ(verify_graph(graph_of_problem(problem), batch_last()), "") << problem;
    }
}

TEST(BatchLastNetwork, IsRefusedInBf16) {
    Execution execution = batch_last();
    execution.numerics.dtype = DataType::bf16;
    EXPECT_EQ(cpu::make_backend()->refusal_of(execution),
              "images with the batch last are only supported in f32: choose --dtype f32 or another "
              "--layout");
}

}  // namespace

}  // namespace strata::testing
