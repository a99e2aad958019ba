// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"

#include "graph/builder.h"

#include <gtest/gtest.h>

namespace strata {

namespace {

Graph two_equal_convolutions() {
    GraphBuilder builder("two");
    TensorId x = builder.input("x", {{2, 8, 6, 6}});
    const Convolution same{
        .out_channels = 8, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    x = builder.add("first", same, {x});
    return builder.finish({builder.add("second", same, {x})});
}

TEST(AlgorithmChoice, ForAProblemAppliesToEveryLayerThatHasIt) {
    const Graph graph = two_equal_convolutions();
    EngineOptions engine;
    engine.choices = {{.problem = problem_text(graph, graph.layers[0]),
                       .pass = Pass::forward,
                       .algorithm = ConvolutionAlgorithm::fft}};
    for (const Layer& layer : graph.layers) {
        EXPECT_EQ(choice_for(engine, graph, layer, Pass::forward), &engine.choices[0]);
        EXPECT_EQ(choice_for(engine, graph, layer, Pass::backward_data), nullptr);
    }
}

TEST(AlgorithmChoice, ForANameAppliesToThatLayerAndTheFirstMatchWins) {
    const Graph graph = two_equal_convolutions();
    EngineOptions engine;
    engine.choices = {{.problem = "sec*", .algorithm = ConvolutionAlgorithm::gemm},
                      {.problem = "*", .algorithm = ConvolutionAlgorithm::fft}};
    EXPECT_EQ(choice_for(engine, graph, graph.layers[0], Pass::forward), &engine.choices[1]);
    EXPECT_EQ(choice_for(engine, graph, graph.layers[1], Pass::forward), &engine.choices[0]);
}

}  // namespace

}  // namespace strata
