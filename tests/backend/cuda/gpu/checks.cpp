// SPDX-License-Identifier: MIT
#include "tests/backend/cuda/gpu/check.h"

#include "backend/cuda/ceilings.h"
#include "backend/cuda/cudnn/convolution.h"
#include "backend/cuda/cudnn/descriptor.h"
#include "backend/cuda/cudnn/plan.h"
#include "backend/cuda/engine.h"
#include "backend/cuda/executable.h"
#include "backend/device_watch.h"
#include "backend/reference/reference.h"
#include "base/enumeration.h"
#include "networks/network.h"
#include "tests/backend/cuda/gpu/profiling.h"
#include "tests/backend/cuda/gpu/whole_layers.h"
#include "tests/backend/networks.h"
#include "tests/backend/problems.h"
#include "verify/verify.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace strata::testing {

namespace {

Execution kept(Mode mode, DataType dtype) {
    return {.numerics = {.mode = mode,
                         .dtype = dtype,
                         .first_layer_gradient = FirstLayerGradient::computed},
            .scheduling = {.memory = MemoryReuse::kept}};
}

// The executions with which every operator and network is verified. Without TF32, for which the
// tolerance of f32 is too narrow.
std::vector<std::pair<std::string, Execution>> executions() {
    Execution last = kept(Mode::training, DataType::f32);
    last.engine.image_layout = ImageLayout::channels_last;
    Execution fast = kept(Mode::training, DataType::f32);
    fast.numerics.single_precision = SinglePrecision::tf32;
    return {{"f32", kept(Mode::training, DataType::f32)},
            {"f32 nhwc", last},
            {"tf32", fast},
            {"bf16", kept(Mode::training, DataType::bf16)},
            {"f16", kept(Mode::training, DataType::f16)},
            {"f32 inference", kept(Mode::inference, DataType::f32)}};
}

// Shared by all, because it opens libraries and a stream.
Backend& gpu() {
    static const std::unique_ptr<Backend> backend = cuda::make_backend();
    return *backend;
}

std::string step_text(const Graph& graph, const Step& step) {
    return fmt::format("{} {} by {}", graph.layers[step.layer].name, name_of(step.pass),
                       step.implementation);
}

// One finding for each step that disagrees or is refused; a single one if all agree.
std::vector<Finding> verified(const std::string& subject, const Graph& graph,
                              const Execution& execution) {
    const auto executable = gpu().prepare(graph, execution);
    std::vector<Finding> findings;
    for (const Step& step : executable->steps()) {
        if (!step.runs()) {
            findings.push_back({subject + ": " + step_text(graph, step), 0, "", step.refusal()});
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

// A case of a check: its subject and its findings.
struct Case {
    std::string subject;
    std::function<std::vector<Finding>()> run;
};

// Runs them one after the other; a case that cannot even be prepared is one finding, not the end.
void run_cases(const std::vector<Case>& cases, std::size_t first,
               const std::function<void(std::size_t)>& case_begins, const Sink& sink) {
    for (std::size_t i = first; i < cases.size(); ++i) {
        case_begins(i);
        try {
            std::ranges::for_each(cases[i].run(), sink);
        } catch (const std::exception& error) {
            sink({cases[i].subject, 0, "", error.what()});
        }
    }
}

using Begins = std::function<void(std::size_t)>;

void check_operators(std::size_t first, const Begins& begins, const Sink& sink) {
    std::vector<Case> cases;
    for (const auto& [name, execution] : executions()) {
        for (const std::string& problem : operator_problems()) {
            const std::string subject = name + " " + problem;
            cases.push_back({subject, [subject, problem, execution = execution] {
                                 return verified(subject, graph_of_problem(problem), execution);
                             }});
        }
    }
    run_cases(cases, first, begins, sink);
}

void check_networks(std::size_t first, const Begins& begins, const Sink& sink) {
    std::vector<Case> cases;
    for (const auto& [name, execution] : executions()) {
        for (const Graph& graph : {residual_network(), branching_network()}) {
            const std::string subject = name + " " + graph.name;
            const Graph used =
                execution.numerics.mode == Mode::training ? graph : for_inference(graph);
            cases.push_back({subject, [subject, used, execution = execution] {
                                 return verified(subject, used, execution);
                             }});
        }
    }
    run_cases(cases, first, begins, sink);
}

double loss_after(Backend& backend, const Graph& graph, const Execution& execution,
                  int iterations) {
    const auto executable = backend.prepare(graph, execution);
    for (int i = 0; i < iterations; ++i) {
        executable->run();
    }
    return static_cast<double>(executable->read(graph.outputs.front(), Content::value).front());
}

// Recorded iterations with shared memory: the repeated iterations must learn as the reference does.
std::vector<Finding> check_replay() {
    std::vector<Finding> findings;
    for (const char* optimizer : {"momentum", "adam"}) {
        Execution execution;
        execution.numerics.optimizer = find_optimizer(optimizer);
        const Graph graph = residual_network();
        const double ours = loss_after(gpu(), graph, execution, 5);
        const double wanted = loss_after(*make_reference_backend(), graph, execution, 5);
        const double error = std::abs(ours - wanted) / std::abs(wanted);
        findings.push_back({std::string("loss after five steps, ") + optimizer, error,
                            "relative difference", error < 1e-3 ? "" : "it differs"});
    }
    return findings;
}

// The names of the plans that cuDNN offers, best first.
std::vector<std::string> names_of_plans(const cuda::ConvolutionProblem& problem,
                                        const cuda::DeviceProperties& properties) {
    const cuda::PlanTarget target(properties);
    std::vector<std::string> names;
    for (const cuda::OfferedPlan& plan : cuda::offered_plans(
             cuda::convolution_graph(problem, target), target, cuda::HeuristicMode::a)) {
        names.push_back(cuda::name_of(plan.traits));
    }
    return names;
}

// Whether a description of the device gives the same plans as the device itself.
std::vector<Finding> check_plans() {
    const auto machine = cuda::open_gpu();
    cuda::DeviceProperties described = machine->properties();
    described.cudnn = nullptr;
    const cuda::ConvolutionProblem problem = {
        .x = {32, 64, 27, 27},
        .w = {192, 64, 5, 5},
        .y = {32, 192, 27, 27},
        .window = {{5, 5}, {1, 1}, {1, 1}, {2, 2}, {2, 2}},
        .format = {cuda::ElementType::f16, cuda::Order::channels_last}};
    const auto plans = names_of_plans(problem, machine->properties());
    const bool is_same = plans == names_of_plans(problem, described);
    return {{"plans of AlexNet's conv2 in f16", static_cast<double>(plans.size()), "plans",
             plans.empty() ? "there are none"
             : is_same     ? ""
                           : "a description of the device gives others"}};
}

// The rate of the runtime's own copy, by the process's clock over many copies.
double copied_per_second(void* to, const void* from, std::size_t bytes) {
    constexpr int copies = 20;
    cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < copies; ++i) {
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr);
    }
    cudaDeviceSynchronize();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return copies * 2.0 * static_cast<double>(bytes) / passed.count();
}

// Ceilings of the runtime's own copy and of the backend's calibration, by which runs are judged.
std::vector<Finding> check_ceilings() {
    const auto machine = cuda::open_gpu();
    std::vector<Finding> findings;
    {
        constexpr std::size_t bytes = std::size_t{1} << 30;
        const cuda::Memory from = machine->allocate(bytes);
        const cuda::Memory to = machine->allocate(bytes);
        findings.push_back({"the runtime's copy of 1 GiB",
                            copied_per_second(to.get(), from.get(), bytes) * 1e-9, "GB/s", ""});
    }
    const Device device = cuda::measure_ceilings(*machine, nullptr, {});
    for (const MemoryLevel& level : device.memory) {
        findings.push_back(
            {fmt::format("{} by our kernels ({})", level.name, level.bandwidth.source),
             level.bandwidth.value.value * 1e-9, "GB/s", ""});
    }
    for (const ComputeCeiling& ceiling : device.compute) {
        findings.push_back({fmt::format("{} products ({})", ceiling.dtype, ceiling.peak.source),
                            ceiling.peak.value.value * 1e-12, "TFLOP/s", ""});
        findings.push_back(
            {fmt::format("{} products for a second ({})", ceiling.dtype, ceiling.sustained->source),
             ceiling.sustained->value.value * 1e-12, "TFLOP/s", ""});
    }
    findings.push_back(
        {"from one recorded kernel to the next", device.launch->value.value * 1e6, "us", ""});
    return findings;
}

// What NVML reports about the device; if nothing, the sentence that says so.
std::vector<Finding> check_state() {
    DeviceWatch& watch = *gpu().watch();
    std::vector<Finding> findings;
    for (const auto& [name, value] : watch.describe()) {
        findings.push_back({name + ": " + value, 0, "", ""});
    }
    const DeviceState state = watch.state();
    if (state.core_clock) {
        findings.push_back({"core clock", state.core_clock->value * 1e-6, "MHz", ""});
    }
    if (state.watts) {
        findings.push_back({"power", *state.watts, "W", ""});
    }
    return findings;
}

// Steps with caches as left, cold and warm: cold is not faster than warm.
std::vector<Finding> check_caches() {
    const Graph graph = residual_network();
    std::vector<Finding> findings;
    std::vector<double> sums;
    for (const CacheState caches : {CacheState::as_left, CacheState::cold, CacheState::warm}) {
        const auto executable = gpu().prepare(graph, {});
        executable->prepare_caches(caches);
        std::vector<Seconds> times(executable->steps().size());
        double minimum = 1e9;
        for (int i = 0; i < 20; ++i) {
            executable->run_timed(times);
            double sum = 0;
            for (const Seconds time : times) {
                sum += time.value;
            }
            minimum = std::min(minimum, sum);
        }
        sums.push_back(minimum);
        findings.push_back(
            {fmt::format("sum of the steps, caches {}", name_of(caches)), minimum * 1e6, "us", ""});
    }
    findings.back().failure = sums[1] < sums[2] ? "cold caches are quicker than warm ones" : "";
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

// The whole iteration by replay and by steps, and the sum of the steps, which shows the cost of
// stamps.
std::vector<Finding> trained(const Training& training, const std::string& type,
                             const Execution& execution) {
    const Graph graph = find_zoo_network(training.network).build(training.batch);
    const auto executable = gpu().prepare(graph, execution);
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

void check_training(std::size_t first, const Begins& begins, const Sink& sink) {
    Execution tf32;
    tf32.numerics.single_precision = SinglePrecision::tf32;
    const std::vector<std::pair<std::string, Execution>> types = {
        {"f32", {}}, {"tf32", tf32}, {"bf16", {.numerics = {.dtype = DataType::bf16}}}};
    std::vector<Case> cases;
    for (const Training& training : trainings) {
        for (const auto& [type, execution] : types) {
            cases.push_back({training.network, [training, type = type, execution = execution] {
                                 return trained(training, type, execution);
                             }});
        }
    }
    run_cases(cases, first, begins, sink);
}

// Requests more memory than there is: the result is a sentence, and the device continues to work.
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

// For a check with a single case.
template <auto check>
void single(std::size_t first, const Begins& begins, const Sink& sink) {
    run_cases({{"the check itself", check}}, first, begins, sink);
}

constexpr Check checks[] = {
    {"trace", "every kernel of a step belongs to its layer; what recording costs", 20,
     single<check_trace>},
    {"counters", "counters of each step, or why there are none", 25, single<check_counters>},
    {"whole_layers",
     "attention and recurrent layers by cuDNN agree; their time beside composed ones", 20,
     single<check_whole_layers>},
    {"replay", "a recorded iteration learns as the reference does", 15, single<check_replay>},
    {"networks", "shortcuts and branches agree, step by step", 20, check_networks},
    {"caches", "steps with cold caches are not quicker than with warm ones", 10,
     single<check_caches>},
    {"plans", "a description of the device gives its plans", 10, single<check_plans>},
    {"state", "clocks, power and what limits them are reported", 5, single<check_state>},
    {"ceilings", "what copies and products reach", 0, single<check_ceilings>},
    {"training", "training steps, replayed and by steps", 0, check_training},
    {"operators", "every operator agrees with the reference, in each type and layout", 0,
     check_operators},
    {"exhaustion", "a request for too much memory gives a message and does not end the process", 0,
     single<check_exhaustion>},
};

}  // namespace

std::span<const Check> gpu_checks() {
    return checks;
}

}  // namespace strata::testing
