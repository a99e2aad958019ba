// SPDX-License-Identifier: MIT
#include "tests/support/scripted_run.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "networks/network.h"
#include "op/convention.h"
#include "op/problem.h"

#include <algorithm>
#include <cmath>

namespace strata::testing {

namespace {

constexpr std::size_t iterations = 20;
constexpr Seconds stamp{2e-7};  // the cost of a time stamp between two steps
constexpr Seconds gap{5e-7};    // the time between two steps

// How an operator performs on the scripted device.
struct Fortune {
    std::string_view operation;
    double compute;  // fractions of the ceilings that it reaches
    double memory;
    std::string_view implementation;
};

constexpr std::array<Fortune, 8> fortunes = {{{"convolution", 0.88, 0.7, "jit:avx512_core"},
                                              {"fully_connected", 0.8, 0.9, "brgemm:avx512_core"},
                                              {"lrn", 0.02, 0.3, "ref:any"},
                                              {"relu", 0.3, 0.95, "jit:avx512_core"},
                                              {"max_pooling", 0.2, 0.6, "jit:avx512_core"},
                                              {"dropout", 0.3, 0.8, "jit:uni"},
                                              {"softmax_cross_entropy", 0.05, 0.1, "strata"},
                                              {"", 0.3, 0.6, "jit:avx512_core"}}};  // any other

const Fortune& fortune_of(const std::string& operation) {
    return *std::ranges::find_if(fortunes, [&](const Fortune& one) {
        return one.operation.empty() || one.operation == operation;
    });
}

Seconds ideal_time(const StepResult& step) {
    const Fortune& fortune = fortune_of(step.operation);
    const double compute = step.flops.value / (200e9 * fortune.compute);
    const double memory = (step.read + step.written).value / (20e9 * fortune.memory);
    return Seconds{std::max(compute, memory) + 1e-6};
}

Samples jittered(Seconds time, const std::string& name) {
    const RandomStream random(1, hash_of(name));
    Samples samples;
    for (std::size_t i = 0; i < iterations; ++i) {
        const double seconds = time.value * (1 + 0.02 * random.uniform(i));
        samples.values.push_back(Seconds{std::round(seconds * 1e9) * 1e-9});
    }
    return samples;
}

StepResult step_of(const Graph& graph, const Layer& layer, Pass pass) {
    const Signature signature = signature_of(graph, layer);
    const Work work = work_of(layer.op, signature, pass);
    StepResult step;
    step.layer = layer.name;
    step.operation = kind_of(layer.op);
    step.pass = pass;
    step.kind = StepKind::compute;
    step.implementation = fortune_of(step.operation).implementation;
    step.implementation_kind = kind_of_implementation(step.implementation);
    step.algorithm = step.operation == "convolution" ? "direct" : "";
    step.problem = to_text(problem_of(layer.op, signature));
    step.flops = count(layer.op, signature, pass, conventions().front());
    step.read = work.read;
    step.written = work.written;
    step.time = jittered(ideal_time(step), step.layer + std::string(name_of(pass)));
    return step;
}

bool reads_network_input(const Graph& graph, const Layer& layer) {
    return !layer.inputs.empty() && graph.tensors[layer.inputs.front()].role == Role::input;
}

void add_steps(Run& run, const Graph& graph, const Layer& layer, std::vector<Pass> passes) {
    for (const Pass pass : passes) {
        const bool wanted = pass != Pass::backward_data || !reads_network_input(graph, layer);
        if (wanted && has_pass(layer.op, signature_of(graph, layer), pass)) {
            run.steps.push_back(step_of(graph, layer, pass));
        }
    }
}

Samples whole_of(const Run& run, Seconds per_step) {
    Samples whole{std::vector<Seconds>(iterations)};
    for (const auto& step : run.steps) {
        if (const auto* samples = std::get_if<Samples>(&step.time)) {
            for (std::size_t i = 0; i < iterations; ++i) {
                whole.values[i] += samples->values[i] + per_step;
            }
        }
    }
    return whole;
}

void add_wholes(Run& run) {
    run.whole.end_to_end = whole_of(run, gap);
    run.whole.instrumented = whole_of(run, gap + stamp);
}

Settings settings_of(const Graph& graph) {
    Settings settings;
    settings.backend = "onednn";
    settings.network = graph.name;
    settings.batch = batch_of(graph);
    settings.execution.scheduling.threads = 2;
    return settings;
}

StepResult* find_step(Run& run, std::string_view layer, Pass pass) {
    const auto found = std::ranges::find_if(run.steps, [&](const StepResult& step) {
        return step.layer == layer && step.pass == pass;
    });
    return found == run.steps.end() ? nullptr : &*found;
}

}  // namespace

Device scripted_device() {
    const std::string source = "scripted";
    Device device;
    device.name = "scripted";
    device.model = "A scripted machine";
    device.threads = 2;
    device.compute = {{"f32", {FlopRate{200e9}, source}}};
    device.memory = {{"L2", Bytes{4e6}, {Bandwidth{400e9}, source}},
                     {"L3", Bytes{32e6}, {Bandwidth{80e9}, source}},
                     {"DRAM", std::nullopt, {Bandwidth{20e9}, source}}};
    return device;
}

Run scripted_run(const Graph& graph) {
    Run run;
    run.id = 12;
    run.created = "2026-11-21T13:15:00Z";
    run.settings = settings_of(graph);
    run.device = scripted_device();
    run.predicted_memory = Bytes{1.2e9};
    run.measured_memory = Bytes{1.3e9};
    run.provenance = {{"cpu.model", "A scripted machine"},
                      {"cpu.governor", "performance"},
                      {"backend.version", "2.6.3"},
                      {"strata.version", "0.1.0"}};
    for (const auto& layer : graph.layers) {
        add_steps(run, graph, layer, {Pass::forward});
    }
    for (auto layer = graph.layers.rbegin(); layer != graph.layers.rend(); ++layer) {
        add_steps(run, graph, *layer, {Pass::backward_weights, Pass::backward_data, Pass::update});
    }
    add_wholes(run);
    return run;
}

Run scripted_run_with_holes(std::string_view network, std::int64_t batch) {
    Run run = scripted_run(zoo_graph(network, batch));
    StepResult* norm = find_step(run, "lrn2", Pass::backward_data);
    StepResult* loss = find_step(run, "pool5", Pass::backward_data);
    StepResult* second = find_step(run, "conv2", Pass::forward);
    check(norm && loss && second, "the network has the layers that the script names");
    norm->time = Skipped{"lrn: within-channel mode is not in onednn"};
    loss->time = Failed{"differs from the reference by 3.1e-2 (tolerance 1e-4)"};
    StepResult reorder = scripted_step("conv2", Pass::forward, jittered(Seconds{4e-4}, "r").values);
    reorder.operation = "convolution";
    reorder.kind = StepKind::reorder;
    reorder.layout = "nchw -> nChw16c";
    reorder.implementation = "jit:uni";
    reorder.read = reorder.written = Bytes{9e6};
    run.steps.insert(run.steps.begin() + (second - run.steps.data()), std::move(reorder));
    run.flags = {{DoubtKind::drift, "The iterations slowed by 0.8 % from the first to the last."}};
    add_wholes(run);
    return run;
}

Graph zoo_graph(std::string_view network, std::int64_t batch) {
    const auto entries = zoo();
    const auto found = std::ranges::find(entries, network, &ZooNetwork::name);
    check(found != entries.end(), "the zoo has the network");
    return found->build(batch);
}

StepResult scripted_step(std::string layer, Pass pass, std::vector<Seconds> times) {
    StepResult step;
    step.layer = std::move(layer);
    step.pass = pass;
    step.kind = StepKind::compute;
    step.time = Samples{std::move(times)};
    return step;
}

Run run_of(std::vector<StepResult> steps) {
    Run run;
    run.steps = std::move(steps);
    return run;
}

}  // namespace strata::testing
