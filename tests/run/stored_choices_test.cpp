// SPDX-License-Identifier: MIT
#include "run/stored_choices.h"

#include "backend/algorithms.h"
#include "graph/builder.h"
#include "tests/support/temporary_directory.h"

#include <gtest/gtest.h>

#include <array>

namespace strata {
namespace {

using enum ConvolutionAlgorithm;

// Two equal convolutions; nothing needs the gradient of the first one's image.
Graph network() {
    const Convolution op = {
        .out_channels = 3, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};
    GraphBuilder builder("network");
    TensorId x = builder.input("x", {{1, 3, 5, 5}});
    x = builder.add("first", op, {x});
    builder.add("again", op, {x});
    return builder.finish();
}

class StoredChoicesTest : public ::testing::Test {
protected:
    StoredChoices choices(const Execution& execution = {}) const {
        return stored_choices(*plan_of(graph_, execution.numerics), tunings_);
    }
    void store(Pass pass, ConvolutionAlgorithm algorithm) const {
        tunings_.store(std::array{TunedPass{.problem = problem_text(graph_, graph_.layers[0]),
                                            .pass = pass,
                                            .algorithm = algorithm,
                                            .network = "network"}});
    }

    Graph graph_ = network();
    TemporaryDirectory directory_;
    Database database_ = Database::open(directory_.path() / "runs.sqlite");
    StoredTunings tunings_{database_, TuningScope{.machine = "here"}};
};

TEST_F(StoredChoicesTest, WithoutATuningAnExecutionIsUnchanged) {
    EXPECT_EQ(choices().passes, 3U);
    EXPECT_TRUE(choices().tuned.empty());
    const Execution execution = with_choices({}, choices());
    EXPECT_EQ(execution.engine.algorithm, automatic);
    EXPECT_TRUE(execution.engine.choices.empty());
}

TEST_F(StoredChoicesTest, InferenceHasOnlyForwardPasses) {
    EXPECT_EQ(choices({.numerics = {.mode = Mode::inference}}).passes, 1U);
}

TEST_F(StoredChoicesTest, TunedPassesRunByTheirChoicesAndTheOthersAsUsual) {
    store(Pass::forward, fft);
    EXPECT_FALSE(choices().is_complete());
    const Execution execution = with_choices({}, choices());
    EXPECT_EQ(execution.engine.algorithm, fastest);
    const Layer& layer = graph_.layers[1];
    const auto chosen = [&](Pass pass) {
        return *choice_for(execution.engine, graph_, layer, pass);
    };
    EXPECT_EQ(chosen(Pass::forward).algorithm, fft);
    EXPECT_EQ(chosen(Pass::forward).source, ChoiceSource::tuned);
    EXPECT_EQ(chosen(Pass::backward_weights).algorithm, automatic);
    EXPECT_EQ(chosen(Pass::backward_weights).source, ChoiceSource::heuristic);
    EXPECT_EQ(sentence_on("network", choices()),
              "network: 1 of 3 convolution and linear passes are tuned, 1 of them to another "
              "algorithm than the usual one; --algorithm auto uses no tuning");
}

TEST_F(StoredChoicesTest, OtherLayoutsAndSeparateBiasesUseNoTuning) {
    EXPECT_TRUE(runs_as_tuned({}));
    EXPECT_TRUE(runs_as_tuned({.engine = {.fusion = Fusion::convolution}}));
    EXPECT_FALSE(runs_as_tuned({.engine = {.image_layout = ImageLayout::channels_last}}));
    EXPECT_FALSE(runs_as_tuned({.engine = {.bias = BiasAddition::separate}}));
}

TEST_F(StoredChoicesTest, IfTheUsualOneIsFastestEverywhereNothingIsChosen) {
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        store(pass, automatic);
    }
    EXPECT_TRUE(choices().is_complete());
    EXPECT_EQ(with_choices({}, choices()).engine.algorithm, automatic);
    EXPECT_TRUE(with_choices({}, choices()).engine.choices.empty());
}

TEST_F(StoredChoicesTest, ALinearLayersChoiceLeavesConvolutionsAsUsual) {
    GraphBuilder builder("linear");
    const TensorId x = builder.input("x", {{2, 8}});
    const Graph graph = builder.finish({builder.add("fc", FullyConnected{.out_features = 4}, {x})});
    tunings_.store(std::array{TunedPass{.problem = problem_text(graph, graph.layers[0]),
                                        .pass = Pass::backward_weights,
                                        .algorithm = LinearAlgorithm::matmul,
                                        .network = "linear"}});
    const Execution execution = with_choices({}, stored_choices(*plan_of(graph, {}), tunings_));
    EXPECT_EQ(execution.engine.algorithm, automatic);
    ASSERT_EQ(execution.engine.choices.size(), 1U);
    EXPECT_EQ(execution.engine.choices[0].algorithm, LinearAlgorithm::matmul);
}

TEST(TuningScope, IsTheValidityOfATuning) {
    const TuningScope scope =
        tuning_scope({.name = "onednn", .version = "2.6.3", .details = "isa AVX2"},
                     {.numerics = {.mode = Mode::inference, .dtype = DataType::bf16},
                      .scheduling = {.threads = 3},
                      .engine = {.fusion = Fusion::convolution}});
    EXPECT_EQ(scope.library, "onednn 2.6.3");
    EXPECT_EQ(scope.instructions, "isa AVX2");
    EXPECT_EQ(scope.threads, 3);
    EXPECT_EQ(scope.dtype, DataType::bf16);
    EXPECT_EQ(scope.mode, Mode::inference);
    EXPECT_EQ(scope.fusion, Fusion::convolution);
    EXPECT_FALSE(scope.machine.empty());
}

}  // namespace
}  // namespace strata
