// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/whole_layers.h"

#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "tests/backend/problems.h"
#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>

namespace strata::testing {

namespace {

struct Problem {
    const char* text;
    DataType dtype;
};

// Problems in which every step must be cuDNN's.
constexpr Problem taken[] = {
    {"attention(2x128x128, 2x128x128, 2x128x128) heads=2 causal=true", DataType::bf16},
    {"attention(1x2x24x64, 1x2x200x64, 1x2x200x64)", DataType::f16},
    {"attention(2x9x64, 2x11x32, 2x11x32) heads=4 kv_heads=2", DataType::bf16},
    {"attention(2x9x32, 2x16x32, 2x16x32, 4x9x16:constant) heads=4", DataType::bf16},
    {"recurrent(5x4x24) hidden=32", DataType::f32},
    {"recurrent(5x4x24, 2x4x16, 2x4x16) hidden=16 direction=bidirectional final_state=true",
     DataType::f32},
    {"recurrent(5x4x24) cell=gru hidden=16 reset_after=true layers=2", DataType::f32},
    {"recurrent(5x4x24) cell=rnn_relu hidden=16 bias=false", DataType::f32},
};

// A layer of BERT, of GPT-2 and of a speech network.
constexpr Problem timed[] = {
    {"attention(16x512x768, 16x512x768, 16x512x768) heads=12", DataType::bf16},
    {"attention(8x1024x768, 8x1024x768, 8x1024x768) heads=12 causal=true", DataType::bf16},
    {"recurrent(100x64x512) hidden=512 layers=2", DataType::f32},
};

std::unique_ptr<Executable> prepare(const std::shared_ptr<cuda::Machine>& machine,
                                    const Graph& graph, const Execution& execution,
                                    cuda::LayerForm form) {
    return std::make_unique<cuda::CudaExecutable>(
        graph, cuda::prepare_program(graph, execution, machine->properties(), form), machine);
}

bool is_of_a_pass(const Step& step) {
    return step.kind == StepKind::compute && step.pass != Pass::update;
}

// Empty if the step is cuDNN's and runs.
std::string failure_of(const Step& step) {
    if (!step.runs()) {
        return step.refusal();
    }
    return step.implementation.starts_with("cudnn:") ? "" : "it is composed";
}

void add_taken(const std::shared_ptr<cuda::Machine>& machine, const Problem& problem,
               std::vector<Finding>& findings) {
    const Execution execution = {
        .numerics = {.dtype = problem.dtype, .first_layer_gradient = FirstLayerGradient::computed},
        .scheduling = {.memory = MemoryReuse::kept}};
    const Graph graph = graph_of_problem(problem.text);
    const auto executable = prepare(machine, graph, execution, cuda::LayerForm::library);
    for (const Step& step : executable->steps()) {
        if (is_of_a_pass(step)) {
            findings.push_back({fmt::format("{} {} by {} ({})", problem.text, name_of(step.pass),
                                            step.implementation, step.algorithm),
                                step.workspace.value, "bytes of workspace", failure_of(step)});
        }
    }
    for (const StepCheck& check : verify(graph, execution, *executable)) {
        const Pass pass = executable->steps()[check.step].pass;
        findings.push_back({fmt::format("{} {}", problem.text, name_of(pass)), check.error, "error",
                            check.reason});
    }
}

double median_time(Executable& executable) {
    std::vector<double> samples;
    for (int i = 0; i < 13; ++i) {
        samples.push_back(executable.run().value);
    }
    std::sort(samples.begin() + 3, samples.end());  // without the first three, which warm up
    return samples[8];
}

Finding time_of(const std::shared_ptr<cuda::Machine>& machine, const Problem& problem,
                cuda::LayerForm form) {
    const Graph graph = graph_of_problem(problem.text);
    const Execution execution = {
        .numerics = {.dtype = problem.dtype, .first_layer_gradient = FirstLayerGradient::computed}};
    const auto executable = prepare(machine, graph, execution, form);
    const char* name = form == cuda::LayerForm::library ? "whole" : "composed";
    return {fmt::format("training step of {}, {}", problem.text, name),
            median_time(*executable) * 1e3, "ms", ""};
}

}  // namespace

std::vector<Finding> check_whole_layers() {
    const std::shared_ptr<cuda::Machine> machine = cuda::open_gpu();
    std::vector<Finding> findings;
    for (const Problem& problem : taken) {
        add_taken(machine, problem, findings);
    }
    for (const Problem& problem : timed) {
        findings.push_back(time_of(machine, problem, cuda::LayerForm::library));
        findings.push_back(time_of(machine, problem, cuda::LayerForm::composed));
    }
    return findings;
}

}  // namespace strata::testing
