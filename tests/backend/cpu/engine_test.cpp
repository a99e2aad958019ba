// SPDX-License-Identifier: MIT
#include "backend/cpu/onednn/engine.h"

#include "backend/cpu/onednn/isa.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "graph/builder.h"
#include "graph/memory.h"
#include "networks/network.h"
#include "tests/backend/cpu/verified.h"
#include "tests/backend/networks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>

namespace strata::testing {

namespace {

std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) {
    return cpu::make_backend()->prepare(graph, execution);
}

Execution shared_execution() {
    Execution execution = kept_execution();
    execution.scheduling.memory = MemoryReuse::shared;
    return execution;
}

std::vector<TensorId> parameters_of(const Graph& graph) {
    std::vector<TensorId> ids;
    for (TensorId id = 0; id < graph.tensors.size(); ++id) {
        if (graph.tensors[id].role == Role::parameter) {
            ids.push_back(id);
        }
    }
    return ids;
}

std::vector<HostValues> trained_parameters(const Graph& graph, const Execution& execution) {
    const auto executable = prepare(graph, execution);
    executable->run();
    executable->run();
    std::vector<HostValues> values;
    for (const TensorId id : parameters_of(graph)) {
        values.push_back(executable->read(id, Content::value));
    }
    return values;
}

std::size_t count_steps(const Executable& executable, StepKind kind) {
    return static_cast<std::size_t>(std::ranges::count(executable.steps(), kind, &Step::kind));
}

// A network of the zoo, small enough to prepare in a test, with its training steps.
std::unique_ptr<Executable> prepare_zoo(const std::string& name) {
    const Graph graph = load_network({.network = name, .batch = 1, .dims = {}, .variables = {}});
    Execution execution = shared_execution();
    execution.numerics.first_layer_gradient = FirstLayerGradient::omitted;
    return prepare(graph, execution);
}

TEST(Engine, TrainsAResidualNetworkAsTheReferenceDoes) {
    EXPECT_EQ(verify_graph(residual_network(), kept_execution()), "");
}

TEST(Engine, TrainsABranchingNetworkAsTheReferenceDoes) {
    EXPECT_EQ(verify_graph(branching_network(), kept_execution()), "");
}

TEST(Engine, TrainsABranchingNetworkInBf16AsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    EXPECT_EQ(verify_graph(branching_network(), kept_execution(Mode::training, DataType::bf16)),
              "");
}

TEST(Engine, UpdatesWithEveryOptimizerAsTheReferenceDoes) {
    for (const std::string_view name : optimizer_names()) {
        Execution execution = kept_execution();
        execution.numerics.optimizer = find_optimizer(name);
        EXPECT_EQ(verify_graph(branching_network(), execution), "") << name;
    }
}

#if defined(__SSE__)
TEST(Engine, DenormalNumbersCountAsZeroInEachOfItsThreads) {
    Execution execution = kept_execution();
    execution.scheduling.threads = 3;
    const auto executable = prepare(residual_network(), execution);
    executable->run();
    std::atomic<int> threads = 0;
    std::atomic<int> keeping = 0;
#pragma omp parallel num_threads(3)
    {
        volatile float smallest = std::numeric_limits<float>::min();
        volatile float half = smallest * 0.5F;
        ++threads;
        keeping += half != 0.0F ? 1 : 0;
    }
    EXPECT_EQ(threads, 3);
    EXPECT_EQ(keeping, 0);
}
#endif

// Adam's bias correction differs from step to step.
TEST(Engine, SeveralStepsOfAdamAreThoseOfTheReference) {
    const Graph graph = graph_of_problem("fully_connected(4x6) out_features=3");
    Execution execution = kept_execution();
    execution.numerics.optimizer = Adam{.learning_rate = 0.125};
    const auto ours = prepare(graph, execution);
    const auto reference = make_reference_backend()->prepare(graph, execution);
    for (int step = 0; step < 3; ++step) {
        ours->run();
        reference->run();
    }
    for (const TensorId id : parameters_of(graph)) {
        const HostValues expected = reference->read(id, Content::value);
        const HostValues found = ours->read(id, Content::value);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(found[i], expected[i], 2e-6) << graph.tensors[id].name << " " << i;
        }
    }
}

TEST(Engine, TrainsWithWinogradAsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of_winograd());
    Execution execution = kept_execution();
    execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    EXPECT_EQ(verify_graph(branching_network(), execution), "");
}

TEST(Engine, InfersAsTheReferenceDoes) {
    const Graph graph = for_inference(residual_network());
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::inference)), "");
}

TEST(Engine, InfersWithWinogradAsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of_winograd());
    Execution execution = kept_execution(Mode::inference);
    execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    EXPECT_EQ(verify_graph(for_inference(branching_network()), execution), "");
}

TEST(Engine, InfersInBf16AsTheReferenceDoes) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    const Graph graph = for_inference(branching_network());
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::inference, DataType::bf16)), "");
}

TEST(Engine, AMachineWithoutBf16ProductsRefusesTheTypeBeforeAnythingIsPrepared) {
    const Execution execution = kept_execution(Mode::training, DataType::bf16);
    const auto backend = cpu::make_backend();
    const std::string refusal = backend->refusal_of(execution);
    EXPECT_EQ(backend->refusal_of(kept_execution()), "");
    if (cpu::effective_isa() == cpu::Isa::avx512) {
        EXPECT_EQ(refusal, "");
        return;
    }
    const std::string isa(text_of(cpu::effective_isa()));
    EXPECT_TRUE(refusal.starts_with(isa + " has no bf16 products; AVX-512 is needed")) << refusal;
    EXPECT_THROW(backend->prepare(branching_network(), execution), Error);
}

TEST(Engine, InfersWithoutReorderingWeights) {
    const Graph graph = for_inference(residual_network());
    Execution execution = kept_execution(Mode::inference);
    for (const Step& step : prepare(graph, execution)->steps()) {
        // Only weights are blocked along their first axis; 3.x converts an activation to
        // channels-last.
        const bool of_weights = step.layout.find('A') != std::string::npos;
        EXPECT_FALSE(step.kind == StepKind::reorder && of_weights) << step.layout;
    }
    execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    for (const Step& step : prepare(graph, execution)->steps()) {
        EXPECT_EQ(step.layout.find("opaque"), std::string::npos) << step.layout;
    }
}

TEST(Engine, SharedMemoryTrainsTheSameWeightsAsKeptMemory) {
    for (const Graph& graph : {residual_network(), branching_network()}) {
        EXPECT_EQ(trained_parameters(graph, shared_execution()),
                  trained_parameters(graph, kept_execution()))
            << graph.name;
    }
}

TEST(Engine, SharedMemoryTrainsTheSameWeightsInBf16) {
    STRATA_SKIP_FOR(lack_of(DataType::bf16));
    Execution shared = shared_execution(), kept = kept_execution();
    shared.numerics.dtype = kept.numerics.dtype = DataType::bf16;
    const Graph graph = branching_network();
    EXPECT_EQ(trained_parameters(graph, shared), trained_parameters(graph, kept));
}

TEST(Engine, ComputeStepsAreTheScheduleInItsOrder) {
    for (const Graph& graph : {residual_network(), branching_network()}) {
        const auto executable = prepare(graph, shared_execution());
        std::vector<Task> tasks;
        for (const Step& step : executable->steps()) {
            if (step.kind == StepKind::compute) {
                tasks.push_back({step.layer, step.pass});
            }
        }
        EXPECT_EQ(tasks, schedule_of(graph, shared_execution()).tasks) << graph.name;
    }
}

TEST(Engine, StepsNameTheirImplementation) {
    const auto executable = prepare(branching_network(), shared_execution());
    for (const Step& step : executable->steps()) {
        EXPECT_FALSE(step.implementation.empty());
    }
}

TEST(Engine, StepsOneByOneGiveTheSameAsARun) {
    const Graph graph = branching_network();
    const auto whole = prepare(graph, kept_execution());
    const auto single = prepare(graph, kept_execution());
    whole->run();
    for (std::size_t step = 0; step < single->steps().size(); ++step) {
        single->run_step(step);
    }
    for (const TensorId id : parameters_of(graph)) {
        EXPECT_EQ(whole->read(id, Content::value), single->read(id, Content::value));
    }
}

TEST(Engine, TimesOfStepsAddUpToTheIteration) {
    const auto executable = prepare(branching_network(), shared_execution());
    std::vector<Seconds> times(executable->steps().size());
    const Seconds whole = executable->run_timed(times);
    Seconds sum;
    for (const Seconds time : times) {
        EXPECT_GE(time.value, 0);
        sum += time;
    }
    EXPECT_NEAR(sum.value, whole.value, 1e-9);
}

TEST(Engine, WrittenValuesAreReadBack) {
    const Graph graph = branching_network();
    const auto executable = prepare(graph, shared_execution());
    for (const TensorId id : parameters_of(graph)) {
        HostValues values(static_cast<std::size_t>(graph.tensors[id].tensor.elements()));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i % 257);
        }
        executable->write(id, Content::value, values);
        EXPECT_EQ(executable->read(id, Content::value), values) << graph.tensors[id].name;
    }
}

TEST(Engine, ValuesWithoutTheirOwnMemoryAreRefusedInOneSentence) {
    const Graph graph = branching_network();
    const auto executable = prepare(graph, shared_execution());
    const auto stem = std::ranges::find(graph.layers, "stem", &Layer::name);
    EXPECT_THROW(executable->read(stem->outputs[0], Content::value), Error);
}

// The gradients that one combined step computes, which checks of single steps do not cover.
TEST(Engine, BatchNormalizationGivesScaleAndShiftTheirGradients) {
    const Graph graph = graph_of_problem("batch_normalization(4x20x5x5)");
    const auto ours = prepare(graph, kept_execution());
    const auto reference = make_reference_backend()->prepare(graph, kept_execution());
    ours->run();
    reference->run();
    for (const TensorId id : parameters_of(graph)) {
        const HostValues expected = reference->read(id, Content::gradient);
        const HostValues actual = ours->read(id, Content::gradient);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(actual[i], expected[i], 1e-5) << graph.tensors[id].name;
        }
    }
}

TEST(Engine, AnOpaqueLayerIsRefusedAndTheRestRuns) {
    GraphBuilder builder("opaque");
    TensorId x = builder.input("x", {{2, 16, 5, 5}});
    x = builder.add("before", Convolution{.out_channels = 16, .kernel = {1, 1}}, {x});
    Graph graph = builder.finish();
    graph.layers.push_back(
        {"magic", Opaque{"Magic", "nobody knows how"}, {x}, {graph.tensors.size()}});
    graph.tensors.push_back({"magic", {{2, 16, 5, 5}}, Role::activation, {}});
    const TensorId magic = graph.tensors.size() - 1;
    graph.layers.push_back({"after", Activation{}, {magic}, {graph.tensors.size()}});
    graph.tensors.push_back({"after", {{2, 16, 5, 5}}, Role::activation, {}});
    graph.outputs = {graph.tensors.size() - 1};
    const auto executable = prepare(graph, kept_execution());
    executable->run();
    const auto steps = executable->steps();
    const auto refused = std::ranges::find(steps, LayerId{1}, &Step::layer);
    EXPECT_EQ(refused->refusal(), "Magic: nobody knows how");
    EXPECT_NO_THROW(executable->read(graph.outputs[0], Content::value));
}

// A training network of the zoo, and how many more steps than passes it may have. Reorders that
// remain: weights to the layout of backward-data, and the batch before and after the flattened
// head. Sums: one for each tensor that several layers read.
struct Expectation {
    const char* network;
    std::size_t reorders;
    std::size_t sums;
};

// Steps that use the library's reference loops, which may take longer than all others.
std::vector<std::string> reference_loops_of(const Executable& executable) {
    std::vector<std::string> found;
    for (const Step& step : executable.steps()) {
        const std::string_view name = step.implementation;
        if (step.kind != StepKind::reorder &&
            (name.find("ref:") != std::string_view::npos || name.starts_with("simple"))) {
            found.push_back(fmt::format("layer {} {}: {}", step.layer, name_of(step.pass), name));
        }
    }
    return found;
}

class ClassicNetworks : public ::testing::TestWithParam<Expectation> {};

TEST_P(ClassicNetworks, AreReorderedOnlyIfNecessaryAndNeverByReferenceLoops) {
    const auto executable = prepare_zoo(GetParam().network);
    // 3.x and AVX2 convert between other layouts.
    if (cpu::make_backend()->info().version.starts_with("2.") &&
        cpu::effective_isa() == cpu::Isa::avx512) {
        EXPECT_EQ(count_steps(*executable, StepKind::reorder), GetParam().reorders);
    }
    EXPECT_EQ(count_steps(*executable, StepKind::accumulate), GetParam().sums);
    EXPECT_EQ(reference_loops_of(*executable), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Each, ClassicNetworks,
                         ::testing::Values(Expectation{"alexnet-owt", 5, 0},
                                           Expectation{"googlenet", 52, 9},
                                           Expectation{"resnet-18", 12, 8},
                                           Expectation{"mobilenet-v2", 34, 10}),
                         [](const auto& test) { return "network" + std::to_string(test.index); });

// Such a convolution leaves blocks of four channels, for which the library has no normalisation.
TEST(Engine, ANormalizationAfterNarrowGroupsIsComputedAsTheReferenceDoes) {
    GraphBuilder builder("narrow");
    TensorId x = builder.input("x", {{2, 32, 7, 7}});
    x = builder.add("before", Convolution{.out_channels = 32, .kernel = {1, 1}}, {x});
    x = builder.add("groups",
                    Convolution{.out_channels = 32,
                                .kernel = {3, 3},
                                .pad_begin = {1, 1},
                                .pad_end = {1, 1},
                                .groups = 8,
                                .bias = false},
                    {x});
    x = builder.add("norm", BatchNormalization{}, {x});
    x = builder.add("relu", Activation{}, {x});
    const Graph graph = builder.finish({x});
    EXPECT_EQ(without_combined(verify_graph(graph, kept_execution())), "");
    EXPECT_EQ(verify_graph(graph, kept_execution(Mode::inference)), "");
}

std::vector<DataType> types_here() {
    return lack_of(DataType::bf16).empty() ? std::vector{DataType::f32, DataType::bf16}
                                           : std::vector{DataType::f32};
}

// Depthwise windows of 5x5, groups of four channels, hard_swish, channels that fill no register.
TEST(Engine, NetworksOfNarrowGroupsNeverRunByReferenceLoops) {
    for (const char* const network :
         {"efficientnet-b0", "resnext-50", "mobilenet-v3-large", "shufflenet-v2", "densenet-121",
          "transformer:layers=3,embed=16,heads=2,inner=32,length=6,vocabulary=32"}) {
        const Graph graph =
            load_network({.network = network, .batch = 1, .dims = {}, .variables = {}});
        for (const DataType dtype : types_here()) {
            for (const Mode mode : {Mode::training, Mode::inference}) {
                Execution execution = shared_execution();
                execution.numerics.mode = mode;
                execution.numerics.dtype = dtype;
                const auto executable = prepare(graph, execution);
                EXPECT_EQ(reference_loops_of(*executable), std::vector<std::string>())
                    << network << ", " << name_of(mode) << ", " << name_of(dtype);
            }
        }
    }
}

TEST(Engine, WinogradRunsIfTheLibraryHasItAndElseDirect) {
    Execution execution = shared_execution();
    execution.engine.algorithm = ConvolutionAlgorithm::winograd;
    const Graph graph =
        load_network({.network = "vgg-11", .batch = 1, .dims = {}, .variables = {}});
    const auto executable = prepare(graph, execution);
    const bool available = lack_of_winograd().empty();
    EXPECT_EQ(executable->steps()[0].algorithm, "direct");  // three channels are too few
    EXPECT_EQ(std::ranges::count(executable->steps(), "winograd", &Step::algorithm) > 0, available);
}

// One small layer: a flush writes twice what the machine's caches hold.
TEST(OnednnCaches, ColdAndWarmStepsComputeTheSameAndAddUpToTheWhole) {
    GraphBuilder builder("one");
    const TensorId x = builder.input("x", {{1, 4, 8, 8}});
    const Graph graph = builder.finish({builder.add("relu", Activation{}, {x})});
    const auto values_after = [&](CacheState caches) {
        const auto executable = prepare(graph, {.numerics = {.mode = Mode::inference}});
        executable->prepare_caches(caches);
        std::vector<Seconds> times(executable->steps().size());
        const Seconds whole = executable->run_timed(times);
        Seconds sum;
        for (const Seconds time : times) {
            EXPECT_GT(time, Seconds{0});
            sum += time;
        }
        EXPECT_LE(sum, whole);
        return executable->read(graph.outputs.front(), Content::value);
    };
    const HostValues left = values_after(CacheState::as_left);
    EXPECT_EQ(values_after(CacheState::cold), left);
    EXPECT_EQ(values_after(CacheState::warm), left);
}

}  // namespace

}  // namespace strata::testing
