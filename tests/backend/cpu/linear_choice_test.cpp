// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/engine.h"
#include "backend/cpu/onednn/isa.h"
#include "base/enumeration.h"
#include "graph/builder.h"
#include "networks/network.h"
#include "tests/backend/cpu/verified.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace strata::testing {

namespace {

using enum LinearAlgorithm;

constexpr std::array passes = {Pass::forward, Pass::backward_data, Pass::backward_weights};

// Two linear layers: the first reads images, the second has no bias. 32 rows of 128 are suitable
// for panels.
Graph two_layers(std::int64_t rows, std::int64_t features) {
    GraphBuilder builder("two");
    TensorId x = builder.input("x", {{rows, 8, 4, 4}});
    x = builder.add("first", FullyConnected{.out_features = features}, {x});
    x = builder.add("relu", Activation{}, {x});
    return builder.finish(
        {builder.add("second", FullyConnected{.out_features = features, .bias = false}, {x})});
}

Execution execution_by(LinearAlgorithm forward, LinearAlgorithm data, LinearAlgorithm weights) {
    Execution execution = kept_execution();
    execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    execution.engine.choices = {
        {.problem = "*", .pass = Pass::forward, .algorithm = forward},
        {.problem = "*", .pass = Pass::backward_data, .algorithm = data},
        {.problem = "*", .pass = Pass::backward_weights, .algorithm = weights}};
    return execution;
}

std::vector<LinearAlgorithm> all_ways() {
    std::vector<LinearAlgorithm> all;
    for (const auto name : names_of(LinearAlgorithm{})) {
        all.push_back(*value_named<LinearAlgorithm>(name));
    }
    return all;
}

Step step_of(const Graph& graph, const Execution& execution, LayerId layer, Pass pass) {
    const auto executable = cpu::make_backend()->prepare(graph, execution);
    const auto found = std::ranges::find_if(executable->steps(), [&](const Step& step) {
        return step.kind == StepKind::compute && step.layer == layer && step.pass == pass;
    });
    return *found;
}

TEST(LinearChoice, EveryWayOfEachPassTrainsAsTheReferenceDoes) {
    const Graph suits_panels = two_layers(32, 128);
    for (const LinearAlgorithm forward : all_ways()) {
        for (const LinearAlgorithm data : all_ways()) {
            for (const LinearAlgorithm weights : {inner_product, matmul}) {
                EXPECT_EQ(verify_graph(suits_panels, execution_by(forward, data, weights)), "")
                    << fmt::format("{}, {}, {}", name_of(forward), name_of(data), name_of(weights));
            }
        }
    }
}

TEST(LinearChoice, EveryWayComputesUnsuitableExtents) {
    for (const LinearAlgorithm way : all_ways()) {
        EXPECT_EQ(verify_graph(two_layers(3, 7), execution_by(way, way, way)), "") << name_of(way);
        Execution inference = execution_by(way, way, way);
        inference.numerics.mode = Mode::inference;
        EXPECT_EQ(verify_graph(for_inference(two_layers(5, 64)), inference), "") << name_of(way);
    }
}

TEST(LinearChoice, TheProductsOfRecurrentCellsTrainByMatMulAsTheReferenceDoes) {
    std::size_t tried = 0;
    for (const std::string& problem : operator_problems()) {
        if (problem.starts_with("recurrent")) {
            EXPECT_EQ(verify_graph(graph_of_problem(problem), execution_by(matmul, matmul, matmul)),
                      "")
                << problem;
            ++tried;
        }
    }
    EXPECT_GT(tried, 10U);
    const Graph lstm = graph_of_problem("recurrent(5x4x24) hidden=32");
    for (const Pass pass : passes) {
        const Step step = step_of(lstm, execution_by(matmul, matmul, matmul), 0, pass);
        EXPECT_EQ(step.algorithm, "matmul");
        EXPECT_EQ(text_of(step.choice), "user");
        const Step by_panels = step_of(lstm, execution_by(panels, panels, panels), 0, pass);
        EXPECT_EQ(by_panels.algorithm, "usual");
        EXPECT_EQ(text_of(by_panels.choice),
                  "instead of panels (user): recurrent layers choose between matmul and "
                  "inner-product");
    }
}

TEST(LinearChoice, AStepNamesItsAlgorithmAndWhoChoseIt) {
    const Graph graph = two_layers(32, 128);
    Execution execution = kept_execution();
    for (const Pass pass : passes) {
        execution.engine.choices.push_back({.problem = "second",
                                            .pass = pass,
                                            .algorithm = matmul,
                                            .source = ChoiceSource::tuned});
    }
    for (const Pass pass : passes) {
        const Step chosen = step_of(graph, execution, 2, pass);
        EXPECT_EQ(chosen.algorithm, "matmul");
        EXPECT_EQ(text_of(chosen.choice), "tuned");
        EXPECT_FALSE(chosen.implementation.empty());
    }
    const Step usual = step_of(graph, execution, 0, Pass::forward);
    EXPECT_EQ(usual.algorithm, "");
    EXPECT_EQ(text_of(usual.choice), "");
}

TEST(LinearChoice, AWayThatCannotDoAPassFallsBackToTheUsualOneAndSaysWhy) {
    const Execution by_panels = execution_by(panels, panels, panels);
    EXPECT_EQ(text_of(step_of(two_layers(32, 128), by_panels, 2, Pass::backward_weights).choice),
              "instead of panels (user): the weights' gradient reads no weights");
    EXPECT_TRUE(text_of(step_of(two_layers(65, 128), by_panels, 2, Pass::forward).choice)
                    .starts_with("instead of panels (user): it needs f32, AVX-512"));
    const Execution by_transposed = execution_by(transposed, transposed, transposed);
    EXPECT_EQ(text_of(step_of(two_layers(32, 128), by_transposed, 2, Pass::backward_data).choice),
              "user");
    EXPECT_EQ(text_of(step_of(two_layers(32, 128), by_transposed, 2, Pass::forward).choice),
              "instead of transposed (user): only the data's gradient reads transposed weights");
}

TEST(LinearChoice, NarrowTypesUseTheInnerProduct) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    Execution narrow = execution_by(matmul, matmul, matmul);
    narrow.numerics.dtype = DataType::bf16;
    EXPECT_EQ(text_of(step_of(two_layers(32, 128), narrow, 2, Pass::forward).choice),
              "instead of matmul (user): bf16: it computes in f32");
    EXPECT_EQ(verify_graph(two_layers(32, 128), narrow), "");
}

TEST(LinearChoice, NarrowProductsOfWholeTilesAreOnTilesWhereThereAreSome) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    Execution narrow = kept_execution(Mode::training, DataType::bf16);
    for (const Pass pass : {Pass::forward, Pass::backward_data}) {
        EXPECT_EQ(step_of(two_layers(40, 128), narrow, 2, pass)
                      .implementation.starts_with("strata:tiles"),
                  cpu::has_tiles());
        EXPECT_FALSE(step_of(two_layers(16, 128), narrow, 2, pass)
                         .implementation.starts_with("strata:tiles"));
        EXPECT_FALSE(step_of(two_layers(40, 96), narrow, 2, pass)
                         .implementation.starts_with("strata:tiles"));
    }
    EXPECT_EQ(verify_graph(two_layers(40, 128), narrow), "");
    narrow.numerics.mode = Mode::inference;
    EXPECT_EQ(verify_graph(for_inference(two_layers(40, 128)), narrow), "");
}

TEST(LinearChoice, AConvolutionsAlgorithmDoesNotApplyToALinearLayer) {
    const Graph graph = two_layers(32, 128);
    Execution execution = kept_execution();
    execution.engine.choices = {
        {.problem = "*", .pass = Pass::forward, .algorithm = ConvolutionAlgorithm::fft},
        {.problem = "*", .pass = Pass::forward, .algorithm = matmul}};
    EXPECT_EQ(step_of(graph, execution, 2, Pass::forward).algorithm, "matmul");
    EXPECT_EQ(verify_graph(graph, execution), "");
}

}  // namespace

}  // namespace strata::testing
