// SPDX-License-Identifier: MIT
#include "backend/algorithms.h"
#include "backend/cpu/convolution/method.h"
#include "backend/cpu/onednn/engine.h"
#include "backend/cpu/onednn/isa.h"
#include "base/enumeration.h"
#include "graph/builder.h"
#include "networks/network.h"
#include "record/engines.h"
#include "tests/backend/cpu/plain_methods.h"
#include "tests/backend/cpu/verified.h"
#include "tests/backend/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace strata::testing {

namespace {

std::unique_ptr<Backend> backend_with_plain_methods() {
    return cpu::make_backend(plain_methods());
}

Execution execution_by(ConvolutionAlgorithm algorithm) {
    Execution execution = kept_execution();
    execution.engine.algorithm = algorithm;
    return execution;
}

const Convolution three_by_three{
    .out_channels = 32, .kernel = {3, 3}, .pad_begin = {1, 1}, .pad_end = {1, 1}};

// Two equal convolutions, and one with another stride.
Graph three_convolutions() {
    GraphBuilder builder("three");
    TensorId x = builder.input("x", {{2, 32, 9, 9}});
    x = builder.add("first", three_by_three, {x});
    x = builder.add("second", three_by_three, {x});
    Convolution last = three_by_three;
    last.stride = {2, 2};
    return builder.finish({builder.add("last", last, {x})});
}

std::vector<Step> steps_of(Backend& backend, const Graph& graph, const Execution& execution) {
    const auto executable = backend.prepare(graph, execution);
    return {executable->steps().begin(), executable->steps().end()};
}

const Step& step_of(const std::vector<Step>& steps, LayerId layer, Pass pass) {
    const auto found = std::ranges::find_if(steps, [&](const Step& step) {
        return step.kind == StepKind::compute && step.layer == layer && step.pass == pass;
    });
    return *found;
}

class EachAlgorithm : public ::testing::TestWithParam<ConvolutionAlgorithm> {};

TEST_P(EachAlgorithm, TrainsAsTheReferenceDoes) {
    for (const Graph& graph : {residual_network(), branching_network(), three_convolutions()}) {
        EXPECT_EQ(verify_graph(*backend_with_plain_methods(), graph, execution_by(GetParam())), "");
        EXPECT_EQ(verify_graph(graph, execution_by(GetParam())), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Convolution, EachAlgorithm, ::testing::ValuesIn([] {
                             std::vector<ConvolutionAlgorithm> all;
                             for (const auto name : names_of(ConvolutionAlgorithm{})) {
                                 all.push_back(*value_named<ConvolutionAlgorithm>(name));
                             }
                             return all;
                         }()),
                         [](const auto& tested) {
                             std::string name(name_of(tested.param));
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(ConvolutionChoice, TheEngineDoesWhatItsListOffers) {
    constexpr std::array problems = {
        "convolution(2x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1",
        "convolution(8x128x28x28) out_channels=128 kernel=5x5 groups=2",
        "convolution(2x3x9x9) out_channels=16 kernel=3x3 stride=2x2",
        "convolution(2x32x9x9) out_channels=32 kernel=3x3 dilation=2x2",
        "convolution(2x32x9x9) out_channels=32 kernel=3x3 groups=32",
        "convolution(2x32x9x9) out_channels=64 kernel=1x1",
        "convolution(2x32x20) out_channels=32 kernel=3"};
    std::size_t offered = 0;
    for (const char* text : problems) {
        const Graph graph = graph_of_problem(text);
        for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
            for (const AlgorithmOffer& offer :
                 offers_of("onednn", parse_problem(text), pass, DataType::f32)) {
                Execution execution =
                    execution_by(std::get<ConvolutionAlgorithm>(offer.algorithm.kind));
                execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
                const auto steps = steps_of(*cpu::make_backend(), graph, execution);
                EXPECT_EQ(step_of(steps, 0, pass).algorithm, name_of(offer.algorithm)) << text;
                EXPECT_GT(offer.usual_share, 0);
                ++offered;
            }
        }
    }
    EXPECT_EQ(offered, 3 * 6U);
}

TEST(ConvolutionChoice, OneOfOurMethodsIsTheStepsAlgorithm) {
    const auto backend = backend_with_plain_methods();
    const auto steps =
        steps_of(*backend, three_convolutions(), execution_by(ConvolutionAlgorithm::gemm));
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        const Step& step = step_of(steps, 1, pass);
        EXPECT_EQ(step.algorithm, "gemm");
        EXPECT_EQ(step.implementation, "test:loops");
        EXPECT_EQ(text_of(step.choice), "");
        EXPECT_EQ(step.operations, (Operations{.multiply_adds = 1}));
        EXPECT_FALSE(step.layout.empty());
    }
}

// A convolution that Winograd computes in less than half of direct convolution's time, and one of
// which its filters would take longer.
TEST(ConvolutionChoice, AutoRunsTheAlgorithmThatIsExpectedToBeFaster) {
    const Graph graph = graph_of_problem(
        "convolution(2x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1");
    const Graph last = graph_of_problem(
        "convolution(1x256x7x7) out_channels=256 kernel=3x3 pad_begin=1x1 pad_end=1x1");
    Execution execution = execution_by(ConvolutionAlgorithm::automatic);
    execution.numerics.first_layer_gradient = FirstLayerGradient::computed;
    const bool has_rates = cpu::effective_isa() >= cpu::Isa::avx2;
    const auto backend = cpu::make_backend();
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        const Step step = step_of(steps_of(*backend, graph, execution), 0, pass);
        EXPECT_EQ(step.algorithm, has_rates ? "winograd-4x4-3x3" : "direct") << name_of(pass);
        EXPECT_EQ(text_of(step.choice), has_rates ? "model" : "");
        const Step direct = step_of(steps_of(*backend, last, execution), 0, pass);
        EXPECT_EQ(direct.algorithm, "direct") << name_of(pass);
        EXPECT_EQ(text_of(direct.choice), "");
    }
    EXPECT_EQ(verify_graph(graph, execution), "");
}

// Nobody asked for more, so there is nothing to explain.
TEST(ConvolutionChoice, AutoIsDirectIfTheExpectedAlgorithmIsRefused) {
    const Graph graph = graph_of_problem(
        "convolution(2x64x28x28) out_channels=64 kernel=3x3 pad_begin=1x1 pad_end=1x1");
    Execution execution = execution_by(ConvolutionAlgorithm::automatic);
    execution.engine.workspace_limit = Bytes{4096};
    const Step step = step_of(steps_of(*cpu::make_backend(), graph, execution), 0, Pass::forward);
    EXPECT_EQ(step.algorithm, "direct");
    EXPECT_EQ(text_of(step.choice), "");
}

TEST(ConvolutionChoice, AProblemThatAMethodCannotDoFallsBackToDirectAndSaysWhy) {
    const auto backend = backend_with_plain_methods();
    const auto steps = steps_of(*backend, three_convolutions(),
                                execution_by(ConvolutionAlgorithm::winograd_2x2_3x3));
    EXPECT_EQ(step_of(steps, 1, Pass::forward).algorithm, "winograd-2x2-3x3");
    EXPECT_EQ(step_of(steps, 2, Pass::forward).algorithm, "direct");
    EXPECT_EQ(text_of(step_of(steps, 2, Pass::backward_weights).choice),
              "instead of winograd-2x2-3x3: stride 2: it needs stride 1");
}

TEST(ConvolutionChoice, OtherTypesAndOtherNumbersOfAxesFallBackToDirect) {
    const auto backend = backend_with_plain_methods();
    const Graph line = graph_of_problem("convolution(2x8x20) out_channels=8 kernel=3");
    const auto steps = steps_of(*backend, line, execution_by(ConvolutionAlgorithm::gemm));
    EXPECT_EQ(text_of(step_of(steps, 0, Pass::forward).choice),
              "instead of gemm: 1 spatial axis: it needs two");
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    Execution narrow = execution_by(ConvolutionAlgorithm::gemm);
    narrow.numerics.dtype = DataType::bf16;
    EXPECT_EQ(
        text_of(step_of(steps_of(*backend, three_convolutions(), narrow), 0, Pass::forward).choice),
        "instead of gemm: bf16: it computes in f32");
}

TEST(ConvolutionChoice, AChoiceAppliesToItsProblemAndPassAndOverridesTheAlgorithm) {
    const auto backend = backend_with_plain_methods();
    const Graph graph = three_convolutions();
    Execution execution = execution_by(ConvolutionAlgorithm::fft);
    execution.engine.choices = {{.problem = problem_text(graph, graph.layers[0]),
                                 .pass = Pass::backward_data,
                                 .algorithm = ConvolutionAlgorithm::gemm,
                                 .source = ChoiceSource::tuned}};
    const auto steps = steps_of(*backend, graph, execution);
    for (const LayerId layer : {LayerId{0}, LayerId{1}}) {
        EXPECT_EQ(step_of(steps, layer, Pass::forward).algorithm, "fft");
        EXPECT_EQ(step_of(steps, layer, Pass::backward_data).algorithm, "gemm");
        EXPECT_EQ(text_of(step_of(steps, layer, Pass::backward_data).choice), "tuned");
    }
    EXPECT_EQ(step_of(steps, 2, Pass::backward_data).algorithm, "fft");
    EXPECT_EQ(verify_graph(*backend, graph, execution), "");
}

TEST(ConvolutionChoice, TheLibrarysOwnImplementationCanBeChosenByName) {
    const auto backend = backend_with_plain_methods();
    const Graph graph = three_convolutions();
    Execution execution = kept_execution();
    execution.engine.choices = {{.problem = "second", .implementation = "ref:any"},
                                {.problem = "last", .implementation = "no:such"}};
    const auto steps = steps_of(*backend, graph, execution);
    EXPECT_EQ(step_of(steps, 1, Pass::forward).implementation, "ref:any");
    EXPECT_EQ(text_of(step_of(steps, 1, Pass::forward).choice), "user");
    EXPECT_TRUE(
        text_of(step_of(steps, 2, Pass::forward).choice).starts_with("instead of no:such (user): "))
        << text_of(step_of(steps, 2, Pass::forward).choice);
    EXPECT_EQ(verify_graph(*backend, graph, execution), "");
}

TEST(ConvolutionChoice, AMethodThatNeedsMoreWorkspaceThanAllowedIsRefused) {
    const auto backend = backend_with_plain_methods();
    Execution execution = execution_by(ConvolutionAlgorithm::fft);
    EXPECT_EQ(step_of(steps_of(*backend, three_convolutions(), execution), 0, Pass::forward)
                  .workspace.value,
              1024.0 * 1024);
    execution.engine.workspace_limit = Bytes{512.0 * 1024};
    const Step refused =
        step_of(steps_of(*backend, three_convolutions(), execution), 0, Pass::forward);
    EXPECT_EQ(refused.algorithm, "direct");
    EXPECT_EQ(text_of(refused.choice),
              "instead of fft: it needs 1.05 MB of workspace, more than the limit of 524 kB");
    EXPECT_LE(refused.workspace.value, 512.0 * 1024);
}

// Our own gradient for narrow groups needs scratch memory; the library's reference loops do not.
TEST(ConvolutionChoice, WithoutScratchMemoryTheLibraryComputesNarrowGroups) {
    GraphBuilder builder("narrow");
    const TensorId x = builder.input("x", {{2, 32, 7, 7}});
    Convolution groups = three_by_three;
    groups.groups = 8;
    const Graph graph = builder.finish({builder.add("groups", groups, {x})});
    Execution execution = kept_execution();
    execution.engine.workspace_limit = Bytes{1};
    const auto backend = cpu::make_backend();
    const Step step = step_of(steps_of(*backend, graph, execution), 0, Pass::backward_weights);
    EXPECT_EQ(step.refusal(), "");
    EXPECT_FALSE(step.implementation.starts_with("strata:")) << step.implementation;
}

// Three equal convolutions of an image with this number of channels.
Graph chain(std::int64_t channels) {
    GraphBuilder builder("chain");
    TensorId x = builder.input("x", {{2, channels, 9, 9}});
    for (const char* name : {"first", "second", "third"}) {
        x = builder.add(name, three_by_three, {x});
    }
    return for_inference(builder.finish({x}));
}

TEST(ConvolutionChoice, NoReorderIsBetweenConvolutionsInTheSameOrder) {
    const auto backend = backend_with_plain_methods();
    for (const ConvolutionAlgorithm algorithm :
         {ConvolutionAlgorithm::gemm, ConvolutionAlgorithm::implicit_gemm}) {
        Execution execution = kept_execution(Mode::inference);
        execution.engine.algorithm = algorithm;
        for (const Step& step : steps_of(*backend, chain(3), execution)) {
            EXPECT_EQ(step.kind, StepKind::compute) << step.layout;
        }
    }
}

TEST(ConvolutionChoice, AMethodThatAcceptsEveryOrderContinuesInTheLibrarys) {
    const auto backend = backend_with_plain_methods();
    // 32 channels, for which every version of oneDNN prefers one order throughout.
    const Graph graph = chain(32);
    Execution mixed = kept_execution(Mode::inference);
    const auto reorders = [&] {
        return std::ranges::count(steps_of(*backend, graph, mixed), StepKind::reorder, &Step::kind);
    };
    const auto of_the_library_alone = reorders();
    mixed.engine.choices = {{.problem = "second", .algorithm = ConvolutionAlgorithm::gemm}};
    EXPECT_EQ(reorders(), of_the_library_alone);
}

TEST(ConvolutionChoice, AMethodsOwnOrderIsReachedByAReorderThatIsAStep) {
    const auto backend = backend_with_plain_methods();
    Execution execution = kept_execution();
    execution.engine.choices = {
        {.problem = "second", .algorithm = ConvolutionAlgorithm::winograd_4x4_3x3}};
    const auto steps = steps_of(*backend, three_convolutions(), execution);
    EXPECT_EQ(step_of(steps, 1, Pass::forward).layout, "acdb -> acdb");
    EXPECT_TRUE(std::ranges::any_of(steps, [](const Step& step) {
        return step.kind == StepKind::reorder && step.layer == 1 && step.pass == Pass::forward;
    }));
}

}  // namespace

}  // namespace strata::testing
