// SPDX-License-Identifier: MIT
#include "backend/cuda/device/stream.h"
#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "tests/backend/cuda/emulated.h"
#include "tests/backend/cuda/host_machine.h"
#include "tests/backend/cuda/scripted_cudnn.h"
#include "tests/backend/problems.h"
#include "tests/backend/verified.h"
#include "verify/verify.h"

#include <gtest/gtest.h>

#include <algorithm>

// Recurrent layers by scripted cuDNN functions: their arguments, and the use of their results.
namespace strata::testing {

namespace {

// The host in place of a GPU, but library calls are finalized and enqueued as on a GPU.
class ScriptedMachine : public HostMachine {
public:
    ScriptedMachine() : HostMachine(described_h200()) {
        queue_.work = std::make_shared<cuda::Stream>();
        queue_.stream = queue_.work->get();
        queue_.allocate = [this](std::size_t bytes) { return allocate(bytes); };
        scratch_ = allocate(1024);
        queue_.workspace = scratch_.get();
        queue_.workspace_bytes = 1024;
    }

    void finalize(const cuda::Call& call) override {
        if (const auto* library = library_of(call)) {
            (*library)->finalize(queue_);
        }
    }
    void probe(const cuda::Call& call, std::span<void* const> addresses) override {
        enqueue(call, addresses);
    }
    void enqueue(const cuda::Call& call, std::span<void* const> addresses) override {
        if (const auto* library = library_of(call)) {
            (*library)->enqueue(queue_, addresses);
        } else {
            HostMachine::enqueue(call, addresses);
        }
    }

private:
    static const std::shared_ptr<cuda::LibraryCall>* library_of(const cuda::Call& call) {
        return std::get_if<std::shared_ptr<cuda::LibraryCall>>(&call.function);
    }

    cuda::Queue queue_;
    cuda::Memory scratch_;
};

std::unique_ptr<Executable> prepare(const Graph& graph, const Execution& execution) {
    return std::make_unique<cuda::CudaExecutable>(
        graph, cuda::prepare_program(graph, execution, described_h200()),
        std::make_shared<ScriptedMachine>());
}

class ScriptedRecurrent : public ::testing::TestWithParam<std::string> {};

void expect_agreement(const Graph& graph, const Execution& execution) {
    const int before = scripted_passes();
    const auto executable = prepare(graph, execution);
    for (const Step& step : executable->steps()) {
        EXPECT_EQ(step.refusal(), "") << name_of(step.pass);
    }
    for (const StepCheck& check : verify(graph, execution, *executable)) {
        EXPECT_EQ(check.reason, "") << name_of(executable->steps()[check.step].pass);
    }
    EXPECT_GT(scripted_passes(), before);
}

TEST_P(ScriptedRecurrent, TrainsAsTheReferenceDoes) {
    expect_agreement(graph_of_problem(GetParam()), kept_execution());
}

TEST_P(ScriptedRecurrent, TrainsIfNothingReadsTheSequencesGradient) {
    Execution execution = kept_execution(Mode::training, DataType::bf16);
    execution.numerics.first_layer_gradient = FirstLayerGradient::omitted;
    expect_agreement(graph_of_problem(GetParam()), execution);
}

TEST_P(ScriptedRecurrent, InfersAsTheReferenceDoes) {
    expect_agreement(graph_of_problem(GetParam()), kept_execution(Mode::inference));
}

INSTANTIATE_TEST_SUITE_P(
    Of, ScriptedRecurrent,
    ::testing::Values(
        "recurrent(5x4x24) hidden=32", "recurrent(1x3x8) hidden=16 bias=false",
        "recurrent(5x4x24) hidden=16 direction=bidirectional layers=2",
        "recurrent(5x4x24, 2x4x16, 2x4x16) hidden=16 layers=2 final_state=true",
        "recurrent(5x4x24, 2x4x16, 2x4x16) hidden=16 direction=bidirectional final_state=true",
        "recurrent(5x4x24) cell=rnn_tanh hidden=16",
        "recurrent(5x4x24, 2x4x16) cell=rnn_relu hidden=16 direction=bidirectional",
        "recurrent(5x4x24) cell=gru hidden=16 reset_after=true layers=2",
        "recurrent(5x4x24, 1x4x16) cell=gru hidden=16 reset_after=true final_state=true",
        "recurrent(5x4x24) cell=gru hidden=16 reset_after=true bias=false direction=bidirectional"),
    name_of_case);

// cuDNN adds to existing gradients of the parameters.
TEST(ScriptedCudnn, GivesTheSameGradientsEveryTime) {
    const Graph graph = graph_of_problem("recurrent(5x4x24) hidden=16");
    const auto executable = prepare(graph, kept_execution());
    const TensorId weight = graph.layers.front().inputs[1];
    executable->run();
    const HostValues once = executable->read(weight, Content::gradient);
    const auto steps = executable->steps();
    const auto last = std::ranges::find(steps, Pass::backward_weights, &Step::pass);
    ASSERT_NE(last, steps.end());
    executable->run_step(static_cast<std::size_t>(last - steps.begin()));
    EXPECT_EQ(executable->read(weight, Content::gradient), once);
}

TEST(ScriptedCudnn, ReportsTheWorkspaceOnceFinalized) {
    const auto executable =
        prepare(graph_of_problem("recurrent(5x4x24) hidden=16"), kept_execution());
    EXPECT_EQ(executable->steps().front().workspace.value, 64);
}

// Parameters, their gradients and what the forward pass saves, in addition to the network's own.
TEST(ScriptedCudnn, CountsTheMemoryThatTheLibraryKeeps) {
    const Graph graph = graph_of_problem("recurrent(5x4x24) hidden=16");
    const auto finalized = prepare(graph, kept_execution());
    const cuda::CudaExecutable unfinalized(
        graph, cuda::prepare_program(graph, kept_execution(), described_h200()),
        std::make_shared<HostMachine>(described_h200()));
    constexpr double parameters = 4.0 * (4 * 16 * (24 + 16 + 1));
    EXPECT_GE(finalized->device_memory()->value,
              unfinalized.device_memory()->value + 2 * parameters);
}

TEST(ScriptedCudnn, RefusalsAffectOnlyTheStep) {
    const Graph graph = graph_of_problem("recurrent(5x4x24) hidden=16");
    refuse_recurrent_passes(true);
    const auto executable = prepare(graph, kept_execution());
    refuse_recurrent_passes(false);
    EXPECT_NE(executable->steps().front().refusal().find("recurrent lstm 5x4x24"),
              std::string::npos);
    EXPECT_NO_THROW(executable->run());
}

}  // namespace

}  // namespace strata::testing
