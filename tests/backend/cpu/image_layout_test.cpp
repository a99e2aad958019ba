// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/engine.h"
#include "base/enumeration.h"
#include "graph/builder.h"
#include "tests/backend/cpu/plain_methods.h"
#include "tests/backend/cpu/verified.h"
#include "tests/backend/networks.h"

#include <gtest/gtest.h>

namespace strata::testing {

namespace {

Execution execution_in(ImageLayout layout) {
    Execution execution = kept_execution();
    execution.engine.image_layout = layout;
    return execution;
}

const Convolution thirty_two_channels{
    .out_channels = 32, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};

// Convolutions with all that usually stands between them.
Graph chain() {
    GraphBuilder builder("chain");
    TensorId x = builder.input("x", {{2, 32, 12, 12}});
    x = builder.add("first", thirty_two_channels, {x});
    x = builder.add("norm", BatchNormalization{}, {x});
    x = builder.add("relu", Activation{}, {x});
    x = builder.add("pool", Pooling{.kernel = {2, 2}, .stride = {2, 2}}, {x});
    return builder.finish({builder.add("second", thirty_two_channels, {x})});
}

class EachLayout : public ::testing::TestWithParam<ImageLayout> {};

TEST_P(EachLayout, TrainsAsTheReferenceDoes) {
    for (const Graph& graph : {residual_network(), branching_network(), chain()}) {
        EXPECT_EQ(verify_graph(graph, execution_in(GetParam())), "");
    }
}

TEST_P(EachLayout, TrainsWithSeparateBiases) {
    Execution execution = execution_in(GetParam());
    execution.engine.bias = BiasAddition::separate;
    for (const Graph& graph :
         {branching_network(), graph_of_problem("convolution(3x4x5x7) out_channels=21 kernel=3x3"),
          graph_of_problem("convolution(2x3x9) out_channels=35 kernel=2")}) {
        EXPECT_EQ(verify_graph(graph, execution), "");
        EXPECT_EQ(verify_graph(*cpu::make_backend(plain_methods()), graph,
                               [&] {
                                   Execution own = execution;
                                   own.engine.algorithm = ConvolutionAlgorithm::gemm;
                                   return own;
                               }()),
                  "");
    }
}

TEST_P(EachLayout, AppliesToEveryConvolutionAndToTheLayersBetween) {
    if (GetParam() == ImageLayout::automatic) {
        GTEST_SKIP() << "the library decides";
    }
    const bool is_wide = lack_of(DataType::bf16).empty();
    const std::string_view wanted = GetParam() == ImageLayout::channels_first  ? "abcd"
                                    : GetParam() == ImageLayout::channels_last ? "acdb"
                                    : GetParam() == ImageLayout::batch_last    ? "bcda"
                                    : is_wide                                  ? "aBcd16b"
                                                                               : "aBcd8b";
    const auto executable = cpu::make_backend()->prepare(chain(), execution_in(GetParam()));
    for (const Step& step : executable->steps()) {
        const bool of_images =
            step.kind == StepKind::compute && step.pass != Pass::update && step.runs();
        if (of_images) {
            EXPECT_TRUE(step.layout.starts_with(wanted))
                << step.implementation << " " << step.layout;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Images, EachLayout,
                         ::testing::Values(ImageLayout::automatic, ImageLayout::channels_first,
                                           ImageLayout::channels_last, ImageLayout::blocked,
                                           ImageLayout::batch_last),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(SeparateBias, IsPartOfTheConvolutionsStep) {
    Execution execution = kept_execution();
    execution.engine.bias = BiasAddition::separate;
    const auto executable = cpu::make_backend()->prepare(chain(), execution);
    for (const Step& step : executable->steps()) {
        const bool is_convolution = step.layer == 0 || step.layer == 4;
        const bool has_bias = step.kind == StepKind::compute && is_convolution &&
                              (step.pass == Pass::forward || step.pass == Pass::backward_weights);
        EXPECT_EQ(step.implementation.ends_with(" + strata:loops"), has_bias)
            << step.layer << " " << step.implementation;
    }
}

}  // namespace

}  // namespace strata::testing
