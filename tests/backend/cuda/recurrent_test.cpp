// SPDX-License-Identifier: MIT
#include "backend/cuda/recurrent.h"
#include "backend/cuda/engine.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"

#include <gtest/gtest.h>

#include <set>

namespace strata::testing {

namespace {

std::vector<std::string> recurrent_problems() {
    std::vector<std::string> found;
    for (const std::string& problem : operator_problems()) {
        if (problem.starts_with("recurrent")) {
            found.push_back(problem);
        }
    }
    return found;
}

// The tests of all operators cover the library's form, if there is one.
class ComposedRecurrent : public ::testing::TestWithParam<std::string> {};

std::string verify_composed(const std::string& problem, const Execution& execution) {
    return verify_graph(*emulated_backend(cuda::LayerForm::composed), graph_of_problem(problem),
                        execution);
}

TEST_P(ComposedRecurrent, TrainsAsTheReferenceDoes) {
    EXPECT_EQ(verify_composed(GetParam(), kept_execution()), "");
}

TEST_P(ComposedRecurrent, InfersAsTheReferenceDoes) {
    EXPECT_EQ(verify_composed(GetParam(), kept_execution(Mode::inference)), "");
}

TEST_P(ComposedRecurrent, TrainsInBf16) {
    const Execution execution = kept_execution(Mode::training, DataType::bf16);
    EXPECT_EQ(verify_composed(GetParam(), execution), "");
}

INSTANTIATE_TEST_SUITE_P(Each, ComposedRecurrent, ::testing::ValuesIn(recurrent_problems()),
                         name_of_case);

std::set<std::string> implementations_of(const cuda::Program& program) {
    std::set<std::string> implementations;
    for (const cuda::Program::PlannedStep& planned : program.steps) {
        if (planned.step.kind == StepKind::compute && planned.step.pass != Pass::update) {
            implementations.insert(planned.step.implementation);
        }
    }
    return implementations;
}

std::set<std::string> implementations_of(const std::string& problem,
                                         const Execution& execution = {},
                                         cuda::LayerForm form = cuda::LayerForm::library) {
    return implementations_of(
        cuda::prepare_program(graph_of_problem(problem), execution, described_h200(), form));
}

const std::set<std::string> by_library = {std::string(cuda::recurrent_implementation)};
const std::set<std::string> composed_lstm = {"cublaslt+strata:lstm"};
const std::set<std::string> composed_gru = {"cublaslt+strata:gru"};

TEST(Recurrent, IsLeftToCudnnIfItComputesTheSame) {
    for (const char* problem :
         {"recurrent(5x4x24) hidden=32", "recurrent(5x4x24) cell=rnn_relu hidden=16 bias=false",
          "recurrent(5x4x24) cell=gru hidden=16 reset_after=true layers=2",
          "recurrent(5x4x24, 2x4x16, 2x4x16) hidden=16 direction=bidirectional final_state=true"}) {
        for (const DataType dtype : {DataType::f32, DataType::bf16}) {
            EXPECT_EQ(implementations_of(problem, {.numerics = {.dtype = dtype}})
                          .count(*by_library.begin()),
                      1U)
                << problem;
        }
    }
}

TEST(Recurrent, IsComposedIfCudnnComputesAnother) {
    EXPECT_EQ(implementations_of("recurrent(5x4x24) hidden=16 direction=reverse"), composed_lstm);
    EXPECT_EQ(implementations_of("recurrent(5x4x24) cell=gru hidden=16"), composed_gru);
}

TEST(Recurrent, IsComposedOnRequest) {
    const std::string problem = "recurrent(5x4x24) hidden=32";
    EXPECT_EQ(implementations_of(problem), by_library);
    EXPECT_EQ(implementations_of(problem, {}, cuda::LayerForm::composed), composed_lstm);
}

TEST(Recurrent, CopiesParametersOnceIfTheyNeverChange) {
    const Graph graph = graph_of_problem("recurrent(5x4x24) hidden=32");
    const cuda::Program answers =
        cuda::prepare_program(graph, {.numerics = {.mode = Mode::inference}}, described_h200());
    EXPECT_EQ(answers.preparations.size(), 1U);
    EXPECT_EQ(answers.steps.front().calls.size(), 1U);
    const cuda::Program learns = cuda::prepare_program(graph, {}, described_h200());
    EXPECT_EQ(learns.preparations.size(), 0U);
    EXPECT_EQ(learns.steps.front().calls.size(), 2U);
}

// Backward through time is then part of the pass for the weights.
TEST(Recurrent, TrainsIfNothingReadsTheSequencesGradient) {
    Execution execution = kept_execution();
    execution.numerics.first_layer_gradient = FirstLayerGradient::omitted;
    const Graph graph = graph_of_problem("recurrent(5x4x24) hidden=16 direction=bidirectional");
    EXPECT_EQ(verify_graph(*emulated_backend(), graph, execution), "");
}

}  // namespace

}  // namespace strata::testing
