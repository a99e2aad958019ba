// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/check.h"

#include "backend/cuda/cublas/matmul.h"
#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/cudnn/device.h"
#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "backend/cuda/gpu_machine.h"
#include "backend/cuda/kernels/copy.h"
#include "backend/reference/reference.h"
#include "backend/verify.h"
#include "graph/network.h"
#include "tests/backend/networks.h"
#include "tests/backend/problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace strata::testing {

namespace {

Execution kept(Mode mode, DataType dtype) {
    return {.mode = mode,
            .dtype = dtype,
            .first_layer_gradient = FirstLayerGradient::computed,
            .memory = MemoryReuse::kept};
}

// The executions that every operator and network is verified in. (Not TF32: the tolerance of f32 is
// too narrow for it.)
std::vector<std::pair<std::string, Execution>> executions() {
    Execution last = kept(Mode::training, DataType::f32);
    last.image_layout = ImageLayout::channels_last;
    return {{"f32", kept(Mode::training, DataType::f32)},
            {"f32 nhwc", last},
            {"bf16", kept(Mode::training, DataType::bf16)},
            {"f16", kept(Mode::training, DataType::f16)},
            {"f32 inference", kept(Mode::inference, DataType::f32)}};
}

std::string step_text(const Graph& graph, const Step& step) {
    return fmt::format("{} {} by {}", graph.layers[step.layer].name, name_of(step.pass),
                       step.implementation);
}

// One finding for each step that disagrees or is refused; one that all agree, where they do.
std::vector<Finding> verified(const std::string& subject, const Graph& graph,
                              const Execution& execution) {
    const auto backend = cuda::make_backend();
    const auto executable = backend->prepare(graph, execution);
    std::vector<Finding> findings;
    for (const Step& step : executable->steps()) {
        if (!step.refusal.empty()) {
            findings.push_back({subject + ": " + step_text(graph, step), 0, "", step.refusal});
        }
    }
    for (const StepCheck& check : verify(graph, execution, *executable)) {
        if (!check.reason.empty()) {
            findings.push_back({subject + ": " + step_text(graph, executable->steps()[check.step]),
                                0, "", check.reason});
        }
    }
    if (findings.empty()) {
        findings.push_back({subject, 0, "", ""});
    }
    return findings;
}

void append(std::vector<Finding>& all, std::vector<Finding> more) {
    std::ranges::move(more, std::back_inserter(all));
}

// A case that cannot even be prepared is one finding, not the end of the check.
std::vector<Finding> guarded(const std::string& subject, const auto& run) {
    try {
        return run();
    } catch (const std::exception& error) {
        return {{subject, 0, "", error.what()}};
    }
}

std::vector<Finding> check_operators() {
    std::vector<Finding> findings;
    for (const auto& [name, execution] : executions()) {
        for (const std::string& problem : operator_problems()) {
            const std::string subject = name + " " + problem;
            append(findings, guarded(subject, [&] {
                       return verified(subject, graph_of_problem(problem), execution);
                   }));
        }
    }
    return findings;
}

std::vector<Finding> check_networks() {
    std::vector<Finding> findings;
    for (const auto& [name, execution] : executions()) {
        for (const Graph& graph : {residual_network(), branching_network()}) {
            const Graph used = execution.mode == Mode::training ? graph : for_inference(graph);
            const std::string subject = name + " " + graph.name;
            append(findings, guarded(subject, [&] { return verified(subject, used, execution); }));
        }
    }
    return findings;
}

double loss_after(Backend& backend, const Graph& graph, const Execution& execution,
                  int iterations) {
    const auto executable = backend.prepare(graph, execution);
    for (int i = 0; i < iterations; ++i) {
        executable->run();
    }
    return static_cast<double>(executable->read(graph.outputs.front(), Content::value).front());
}

// Recorded iterations, memory shared: what is repeated must learn as the reference learns.
std::vector<Finding> check_replay() {
    std::vector<Finding> findings;
    for (const char* optimizer : {"momentum", "adam"}) {
        Execution execution;
        execution.optimizer = find_optimizer(optimizer);
        const Graph graph = residual_network();
        const double ours = loss_after(*cuda::make_backend(), graph, execution, 5);
        const double wanted = loss_after(*make_reference_backend(), graph, execution, 5);
        const double error = std::abs(ours - wanted) / std::abs(wanted);
        findings.push_back({std::string("loss after five steps, ") + optimizer, error,
                            "relative difference", error < 1e-3 ? "" : "it differs"});
    }
    return findings;
}

// Whether a description of the device gives the plans that the device itself gives.
std::vector<Finding> check_plans() {
    const auto machine = cuda::open_gpu();
    const cuda::Descriptor device = cuda::device_descriptor(machine->properties());
    const cuda::ConvolutionProblem problem = {
        .x = {32, 64, 27, 27},
        .w = {192, 64, 5, 5},
        .y = {32, 192, 27, 27},
        .window = {{5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
        .format = {cuda::ElementType::f16, cuda::Order::channels_last}};
    const auto plans =
        cuda::offered_plans(cuda::convolution_graph(problem), device, cuda::HeuristicMode::a);
    return {{"description of the device", 0, "", ""},
            {"plans of AlexNet's conv2 in f16", static_cast<double>(plans.size()), "plans",
             plans.empty() ? "there are none" : ""}};
}

// Seconds of one of `count` calls enqueued together, the median of a few.
double seconds_of(cuda::Machine& machine, const cuda::Call& call,
                  const std::vector<void*>& addresses, int count) {
    std::vector<double> samples;
    for (int sample = 0; sample < 7; ++sample) {
        machine.stamp(0);
        for (int i = 0; i < count; ++i) {
            machine.enqueue(call, addresses);
        }
        machine.stamp(1);
        samples.push_back(machine.between(0, 1).value / count);
    }
    std::ranges::sort(samples);
    return samples[samples.size() / 2];
}

std::vector<Finding> check_ceilings() {
    const auto machine = cuda::open_gpu();
    std::vector<Finding> findings;
    constexpr std::int64_t elements = std::int64_t{1} << 28;
    const cuda::Memory from = machine->allocate(elements * 4);
    const cuda::Memory to = machine->allocate(elements * 4);
    const cuda::Call copy = {cuda::strided_copy("copy", {elements}, {cuda::ElementType::f32, {1}},
                                                {cuda::ElementType::f32, {1}}),
                             {}};
    const double seconds = seconds_of(*machine, copy, {from.get(), to.get()}, 10);
    findings.push_back({"our copy of 1 GiB", 8 * elements / seconds * 1e-9, "GB/s", ""});
    constexpr std::int64_t n = 8192;
    for (const cuda::ElementType type :
         {cuda::ElementType::bf16, cuda::ElementType::f16, cuda::ElementType::f32}) {
        const cuda::Place place = {0, {n, n}, {type}};
        const cuda::Call product = cuda::matmul_call(
            {.m = n, .n = n, .k = n, .a = {type, n}, .b = {type, n}, .y = {type, n}},
            {place, place, place});
        machine->settle(product);
        const double each = seconds_of(*machine, product, {from.get(), from.get(), to.get()}, 5);
        findings.push_back({fmt::format("{} product of {} on zeros",
                                        cuda::names_of(type)[static_cast<std::size_t>(type)], n),
                            2.0 * n * n * n / each * 1e-12, "TFLOP/s", ""});
    }
    return findings;
}

struct Training {
    const char* network;
    std::int64_t batch;
};
constexpr Training trainings[] = {
    {"alexnet", 128}, {"vgg-16", 64}, {"resnet-50", 64}, {"transformer-base", 32}};

double median_of(std::vector<double> samples) {
    std::ranges::sort(samples);
    return samples[samples.size() / 2];
}

// The whole by replay, the whole by steps, and the sum of the steps: what stamps cost.
std::vector<Finding> trained(const Training& training, const std::string& type,
                             const Execution& execution) {
    const Graph graph = find_zoo_network(training.network).build(training.batch);
    const auto executable = cuda::make_backend()->prepare(graph, execution);
    std::vector<double> whole, stepped, sums;
    std::vector<Seconds> times(executable->steps().size());
    for (int i = 0; i < 13; ++i) {
        const double replayed = executable->run().value;
        const double timed = executable->run_timed(times).value;
        if (i < 3) {
            continue;  // warming up
        }
        whole.push_back(replayed);
        stepped.push_back(timed);
        double sum = 0;
        for (const Seconds& time : times) {
            sum += time.value;
        }
        sums.push_back(sum);
    }
    const std::string subject =
        fmt::format("{} batch {} {} training step", training.network, training.batch, type);
    return {{subject + ", replayed", median_of(whole) * 1e3, "ms", ""},
            {subject + ", by steps", median_of(stepped) * 1e3, "ms", ""},
            {subject + ", sum of steps", median_of(sums) * 1e3, "ms", ""}};
}

std::vector<Finding> check_training() {
    std::vector<Finding> findings;
    Execution tf32;
    tf32.single_precision = SinglePrecision::tf32;
    const std::vector<std::pair<std::string, Execution>> types = {
        {"f32", {}}, {"tf32", tf32}, {"bf16", {.dtype = DataType::bf16}}};
    for (const Training& training : trainings) {
        for (const auto& [type, execution] : types) {
            append(findings, guarded(training.network, [&, &type = type, &execution = execution] {
                       return trained(training, type, execution);
                   }));
        }
    }
    return findings;
}

// More memory than there is: a sentence, and the device goes on working.
std::vector<Finding> check_exhaustion() {
    const auto machine = cuda::open_gpu();
    try {
        machine->allocate(static_cast<std::size_t>(machine->properties().memory_bytes) * 2);
    } catch (const cuda::DeviceError& error) {
        const bool known = error.trouble() == cuda::DeviceTrouble::out_of_memory;
        machine->allocate(1 << 20);
        return {{error.what(), 0, "", known ? "" : "it is taken for other trouble"}};
    }
    return {{"twice the memory", 0, "", "it was given"}};
}

constexpr Check checks[] = {
    {"plans", "a description of the device gives its plans", check_plans},
    {"operators", "every operator agrees with the reference, in each type and layout",
     check_operators},
    {"networks", "shortcuts and branches agree, step by step", check_networks},
    {"replay", "a recorded iteration learns as the reference does", check_replay},
    {"ceilings", "what copies and products reach", check_ceilings},
    {"training", "training steps, replayed and by steps", check_training},
    {"exhaustion", "too much memory asked for is a sentence, not the end", check_exhaustion},
};

}  // namespace

std::span<const Check> gpu_checks() {
    return checks;
}

}  // namespace strata::testing
