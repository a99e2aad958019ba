// SPDX-License-Identifier: MIT
#include "backend/cuda/cudnn/attention.h"
#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/engine.h"
#include "networks/network.h"
#include "tests/backend/cuda/cards.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"
#include "verify/verify.h"

#include <cudnn.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <set>

namespace {

std::size_t told_version = 0;  // 0: the library's own

}  // namespace

std::size_t cudnnGetVersion() {
    static const auto library =
        reinterpret_cast<decltype(&cudnnGetVersion)>(dlsym(RTLD_NEXT, "cudnnGetVersion"));
    return told_version == 0 ? library() : told_version;
}

// Links a scripted driver (scripted_driver.cpp), so that cuDNN offers the plans that it compiles at
// run time. Without a driver it offers none, which the tests of all operators cover.
namespace strata::testing {

namespace {

// The distinct algorithms in the attention's steps.
std::set<std::string> algorithms_in(const Graph& graph, std::span<const Step> steps) {
    std::set<std::string> algorithms;
    for (const Step& step : steps) {
        if (step.kind == StepKind::compute && kind_of(graph.layers[step.layer].op) == "attention") {
            algorithms.insert(step.algorithm);
        }
    }
    return algorithms;
}

// The algorithms of the steps of a problem, which is also verified against the reference.
std::set<std::string> verified_algorithms(const std::string& problem, const Execution& execution) {
    const Graph graph = graph_of_problem(problem);
    const auto executable = emulated_backend()->prepare(graph, execution);
    for (const StepCheck& check : verify(graph, execution, *executable)) {
        EXPECT_EQ(check.reason, "") << executable->steps()[check.step].implementation;
    }
    return algorithms_in(graph, executable->steps());
}

const std::set<std::string> fused = {"fused", "fused, atomic additions"};
const std::set<std::string> fused_forward = {"fused"};
const std::set<std::string> unfused = {"unfused"};

class FusedAttention : public ::testing::TestWithParam<std::string> {};

TEST_P(FusedAttention, TrainsAsTheReferenceDoes) {
    for (const DataType dtype : {DataType::bf16, DataType::f16}) {
        EXPECT_EQ(verified_algorithms(GetParam(), kept_execution(Mode::training, dtype)), fused);
    }
}

TEST_P(FusedAttention, InfersAsTheReferenceDoes) {
    const Execution execution = kept_execution(Mode::inference, DataType::bf16);
    EXPECT_EQ(verified_algorithms(GetParam(), execution), fused_forward);
}

TEST_P(FusedAttention, IsUnfusedInF32) {
    EXPECT_EQ(verified_algorithms(GetParam(), kept_execution()), unfused);
}

INSTANTIATE_TEST_SUITE_P(
    Of, FusedAttention,
    ::testing::Values("attention(2x40x128, 2x40x128, 2x40x128) heads=2",
                      "attention(2x128x128, 2x128x128, 2x128x128) heads=2 causal=true",
                      "attention(1x10x24, 1x150x24, 1x150x24) heads=3 causal=true scale=0.3",
                      "attention(2x9x64, 2x11x32, 2x11x32) heads=4 kv_heads=2",
                      "attention(2x4x9x16, 2x2x11x16, 2x2x11x8) causal=true",
                      "attention(1x2x24x64, 1x2x200x64, 1x2x200x64)",
                      "attention(2x9x32, 2x16x32, 2x16x32, 4x9x16:constant) heads=4",
                      "attention(2x16x32, 2x16x32, 2x16x32, 16x16:constant) heads=2 causal=true",
                      "attention(1x6x80, 1x7x80, 1x7x80) heads=1",
                      "attention(1x1x64, 1x128x64, 1x128x64) heads=1"),
    name_of_case);

class UnfusedAttention : public ::testing::TestWithParam<std::string> {};

TEST_P(UnfusedAttention, TrainsAsTheReferenceDoes) {
    const Execution execution = kept_execution(Mode::training, DataType::bf16);
    EXPECT_EQ(verified_algorithms(GetParam(), execution), unfused);
}

INSTANTIATE_TEST_SUITE_P(
    Of, UnfusedAttention,
    ::testing::Values("attention(2x7x20, 2x15x20, 2x15x12) heads=4",                  // odd width
                      "attention(1x15x24, 1x13x24, 1x13x24) heads=1 causal=true",     // sees none
                      "attention(2x9x32, 2x16x32, 2x16x32, 4x9x1:constant) heads=4",  // repeated
                      "attention(2x9x32, 2x11x32, 2x11x32, 9x11:constant) heads=4",   // unaligned
                      "attention(1x9x32, 1x16x32, 1x16x32, 9x16:constant) heads=4 causal=true",
                      "attention(2x9x32, 2x16x32, 2x16x32, 2x1x1x16:constant) heads=2",  // one row
                      "attention(2x1x32, 2x1x32, 2x1x32) heads=2"),
    name_of_case);

class ZooAttention : public ::testing::TestWithParam<int> {};

// Chips of every generation that has fused attention.
TEST_P(ZooAttention, IsFusedInBf16) {
    const cuda::DeviceProperties chip = described_card(GetParam());
    for (const char* network : {"transformer-base", "bert-base", "gpt-2", "vit-b-16"}) {
        const Graph graph = find_zoo_network(network).build(2);
        const cuda::Program program =
            cuda::prepare_program(graph, {.numerics = {.dtype = DataType::bf16}}, chip);
        std::vector<Step> steps;
        for (const cuda::Program::PlannedStep& planned : program.steps) {
            EXPECT_EQ(planned.step.refusal(), "") << network;
            steps.push_back(planned.step);
        }
        EXPECT_EQ(algorithms_in(graph, steps), fused) << network;
    }
}

INSTANTIATE_TEST_SUITE_P(OnSm, ZooAttention, ::testing::Values(80, 86, 89, 90, 100, 120),
                         [](const auto& of) { return std::to_string(of.param); });

TEST(Attention, IsUnfusedOnRequest) {
    const Graph graph = graph_of_problem("attention(2x40x128, 2x40x128, 2x40x128) heads=2");
    const cuda::Program program = cuda::prepare_program(
        graph, {.numerics = {.dtype = DataType::f16}}, described_h200(), cuda::LayerForm::composed);
    EXPECT_EQ(program.steps.front().step.algorithm, "unfused");
}

TEST(Attention, IsUnfusedOnADeviceWithoutPlans) {
    cuda::DeviceProperties turing = described_h200();
    turing.compute_capability = 75;
    const Graph graph = graph_of_problem("attention(2x40x128, 2x40x128, 2x40x128) heads=2");
    const cuda::Program program =
        cuda::prepare_program(graph, {.numerics = {.dtype = DataType::f16}}, turing);
    EXPECT_EQ(program.steps.back().step.refusal(), "");
    EXPECT_EQ(program.steps.front().step.algorithm, "unfused");
}

TEST(Attention, IsUnfusedWithAnUnsuitableCudnnAndSaysWhy) {
    const Graph graph = graph_of_problem("attention(2x40x128, 2x40x128, 2x40x128) heads=2");
    const auto algorithm_by = [&](std::size_t version) {
        told_version = version;
        const cuda::Program program =
            cuda::prepare_program(graph, {.numerics = {.dtype = DataType::f16}}, described_h200());
        told_version = 0;
        return program.steps.front().step.algorithm;
    };
    EXPECT_EQ(algorithm_by(90800), "unfused: cuDNN 9.8.0 is older than 9.10.2");
    EXPECT_EQ(algorithm_by(91001), "unfused: cuDNN 9.10.1 is older than 9.10.2");
    EXPECT_EQ(algorithm_by(91002), "fused");
    EXPECT_EQ(algorithm_by(0), "fused");
}

cuda::AttentionProblem grouped_problem(Pass pass) {
    return {.pass = pass,
            .extents = {2, 8, 2, 128, 128, 64, 64, 0.125, true},
            .type = cuda::ElementType::bf16,
            .trains = true};
}

TEST(Attention, WithGroupedQueriesReportsTheMemoryOfPartialGradients) {
    for (const int capability : {80, 90, 100}) {
        cuda::DeviceProperties properties = described_h200();
        properties.compute_capability = capability;
        const cuda::PlanTarget target(properties);
        const cuda::Descriptor graph =
            cuda::attention_graph(grouped_problem(Pass::backward_data), target);
        const auto plans = cuda::offered_plans(graph, target, cuda::HeuristicMode::a);
        ASSERT_FALSE(plans.empty()) << capability;
        EXPECT_GE(cuda::build_plan(plans.front(), target).workspace, 2U * 2 * 8 * 128 * 64 * 2)
            << capability;
    }
}

}  // namespace

}  // namespace strata::testing
