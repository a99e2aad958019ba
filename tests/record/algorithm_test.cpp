// SPDX-License-Identifier: MIT
#include "record/algorithm.h"
#include "record/identity.h"
#include "record/options.h"

#include <gtest/gtest.h>

namespace strata {

namespace {

const std::vector<AlgorithmChoice> three = {
    {.problem = "convolution(8x64x56x56) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1",
     .pass = Pass::forward,
     .algorithm = ConvolutionAlgorithm::winograd_4x4_3x3,
     .source = ChoiceSource::tuned},
    {.problem = "conv?_1", .pass = Pass::backward_weights, .implementation = "jit:avx2"},
    {.problem = "conv1",
     .pass = Pass::backward_data,
     .algorithm = ConvolutionAlgorithm::fft,
     .source = ChoiceSource::heuristic}};

TEST(AlgorithmChoices, RoundTripThroughText) {
    EXPECT_EQ(parse_choices(text_of(three)), three);
    EXPECT_EQ(text_of(std::vector(three.begin() + 1, three.end())),
              "conv?_1 backward_weights=jit:avx2+conv1 backward_data=fft (heuristic)");
    EXPECT_EQ(text_of(std::vector<AlgorithmChoice>()), "none");
    EXPECT_EQ(parse_choices("none"), std::vector<AlgorithmChoice>());
}

TEST(AlgorithmChoices, AllowAPassToBeSpeltWithAHyphen) {
    const auto choices = parse_choices("conv1 backward-data=gemm");
    ASSERT_TRUE(choices.has_value());
    EXPECT_EQ(choices->front().pass, Pass::backward_data);
}

TEST(AlgorithmChoices, CanNameALinearLayersAlgorithm) {
    const auto choices = parse_choices("fc6 backward_weights=matmul");
    ASSERT_TRUE(choices.has_value());
    EXPECT_EQ(choices->front().algorithm, LinearAlgorithm::matmul);
    EXPECT_EQ(text_of(*choices), "fc6 backward_weights=matmul");
}

TEST(AlgorithmChoices, RefuseInvalidText) {
    for (const char* text :
         {"", "conv1", "conv1 forward", "conv1 forward=", "conv1 forward=quick", "forward=fft",
          "conv1 update=fft", "conv1 sideways=fft", "conv1 forward=fft (guessed)",
          "conv1 forward=fft+", "conv1 forward=jit: avx2"}) {
        EXPECT_FALSE(parse_choices(text).has_value()) << text;
    }
}

// The source of a choice distinguishes experiments too.
TEST(AlgorithmChoices, MakeADifferentExperiment) {
    const auto key_with = [](const char* text) {
        Settings settings;
        set_option(settings, option_named("choices"), text);
        return key_of(settings);
    };
    EXPECT_NE(key_with("conv1 forward=fft"), key_of(Settings{}));
    EXPECT_NE(key_with("conv1 forward=fft"), key_with("conv1 forward=fft (tuned)"));
    EXPECT_EQ(key_with("none"), key_of(Settings{}));
}

TEST(WorkspaceLimit, IsPrintedExactlyInTheLargestUnitThatDividesIt) {
    const Option& option = option_named("workspace_limit");
    for (const auto& [given, written] : {std::pair{"64MiB", "64MiB"},
                                         {"1.5GiB", "1536MiB"},
                                         {"64MB", "62500KiB"},
                                         {"7", "7B"},
                                         {"none", "none"}}) {
        Settings settings;
        set_option(settings, option, given);
        EXPECT_EQ(option.text(settings), written);
    }
}

}  // namespace

}  // namespace strata
