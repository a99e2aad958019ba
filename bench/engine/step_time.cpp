// SPDX-License-Identifier: MIT Shows where the time of one iteration goes, step by step, as
// measured by the engine itself.
//
//   bench_engine NETWORK [BATCH] [direct|winograd|auto] [f32|bf16] [ITERATIONS] [inference]
//
// Prints each step's median time, share and GFLOP/s, the whole iteration beside the sum of its
// steps, and the time by kind of layer.
#include "backend/cpu/onednn/engine.h"
#include "base/error.h"
#include "graph/memory.h"
#include "networks/network.h"
#include "op/convention.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>

namespace {

using namespace strata;

struct Request {
    std::string network = "alexnet-owt";
    std::int64_t batch = 32;
    Execution execution;
    int iterations = 10;
};

ConvolutionAlgorithm algorithm_named(std::string_view name) {
    const auto names = names_of(ConvolutionAlgorithm{});
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? ConvolutionAlgorithm::direct
                                : static_cast<ConvolutionAlgorithm>(found - names.begin());
}

Request request_of(std::span<char*> arguments) {
    Request request;
    const auto at = [&](std::size_t i) {
        return i < arguments.size() ? std::string(arguments[i]) : std::string();
    };
    request.network = at(1).empty() ? request.network : at(1);
    request.batch = at(2).empty() ? request.batch : std::stoll(at(2));
    request.execution.engine.algorithm = algorithm_named(at(3));
    request.execution.numerics.dtype = parse_data_type(at(4).empty() ? "f32" : at(4));
    request.iterations = at(5).empty() ? request.iterations : std::stoi(at(5));
    request.execution.numerics.mode = at(6) == "inference" ? Mode::inference : Mode::training;
    return request;
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

// Samples in seconds: of the whole iteration without time stamps, and of each step.
struct Samples {
    std::vector<double> whole;
    std::vector<std::vector<double>> steps;
};

Samples sample(Executable& executable, int iterations) {
    Samples samples{{}, std::vector<std::vector<double>>(executable.steps().size())};
    std::vector<Seconds> times(executable.steps().size());
    executable.run();
    for (int i = 0; i < iterations; ++i) {
        samples.whole.push_back(executable.run().value);
        executable.run_timed(times);
        for (std::size_t step = 0; step < times.size(); ++step) {
            samples.steps[step].push_back(times[step].value);
        }
    }
    return samples;
}

double flops_of(const Graph& graph, const Step& step) {
    if (step.kind != StepKind::compute || !step.runs()) {
        return 0;
    }
    const Layer& layer = graph.layers[step.layer];
    const Operations operations =
        work_of(layer.op, signature_of(graph, layer), step.pass).operations;
    return 2 * operations.multiply_adds;
}

void print(const Graph& graph, const Executable& executable, const Samples& samples) {
    double sum = 0;
    std::map<std::string, double> by_kind;
    for (std::size_t i = 0; i < samples.steps.size(); ++i) {
        const Step& step = executable.steps()[i];
        const double time = median(samples.steps[i]);
        const std::string kind =
            step.kind == StepKind::compute
                ? kind_of(graph.layers[step.layer].op)
                : std::string(names_of(StepKind{})[static_cast<std::size_t>(step.kind)]);
        sum += time;
        by_kind[kind + " " + std::string(name_of(step.pass))] += time;
        fmt::print("{:9.3f} ms {:8.1f} GF/s  {:28} {:16} {:10} {:32} {} {}\n", 1e3 * time,
                   1e-9 * flops_of(graph, step) / time, graph.layers[step.layer].name,
                   name_of(step.pass), names_of(StepKind{})[static_cast<std::size_t>(step.kind)],
                   step.implementation, step.layout, step.refusal());
    }
    for (const auto& [kind, time] : by_kind) {
        fmt::print("{:9.2f} ms {:5.1f} %  {}\n", 1e3 * time, 100 * time / sum, kind);
    }
    const double least = *std::ranges::min_element(samples.whole);
    fmt::print("whole: median {:.2f} ms, least {:.2f} ms; sum of steps {:.2f} ms\n",
               1e3 * median(samples.whole), 1e3 * least, 1e3 * sum);
}

}  // namespace

int main(int count, char** arguments) try {
    const Request request = request_of({arguments, static_cast<std::size_t>(count)});
    NetworkRequest wanted;
    wanted.network = request.network;
    wanted.batch = request.batch;
    Graph graph = load_network(wanted);
    if (request.execution.numerics.mode == Mode::inference) {
        graph = for_inference(graph);
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto executable = cpu::make_backend()->prepare(graph, request.execution);
    const std::chrono::duration<double> prepared = std::chrono::steady_clock::now() - begin;
    print(graph, *executable, sample(*executable, request.iterations));
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    fmt::print("prepared in {:.2f} s; peak memory {:.0f} MB, footprint {:.0f} MB\n",
               prepared.count(), 1e-3 * static_cast<double>(usage.ru_maxrss),
               1e-6 * footprint_of(graph, request.execution).peak.value);
    return EXIT_SUCCESS;
} catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
}
