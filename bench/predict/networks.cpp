// SPDX-License-Identifier: MIT The number of kernels, and of whole networks, predicted per second.
// items_per_second counts kernels or networks.
//
//     bench_predict --benchmark_repetitions=5
#include "networks/network.h"
#include "predict/network.h"

#include <benchmark/benchmark.h>

namespace {

using namespace strata;

std::unique_ptr<DeviceModel> device() {
    return model_of(find_description("v100-pcie"));
}

// Plans different products: chooses the kernel and the number of splits.
void planned_products(benchmark::State& state) {
    const DeviceDescription v100 = find_description("v100-pcie");
    const GemmRates rates = rates_of(v100.name).gemm.at("linear");
    const auto candidates = candidate_kernels(rates);
    GemmProblem problem{.m = 64, .n = 1024, .k = 1024, .b_is_transposed = true};
    for (auto _ : state) {
        problem.m = 64 + (problem.m + 7) % 4096;
        benchmark::DoNotOptimize(planned_kernel(problem, candidates, v100, rates));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(planned_products);

void predict_whole(benchmark::State& state, const char* name, Mode mode) {
    Graph graph = load_network({.network = name, .batch = 32, .dims = {}, .variables = {}});
    if (mode == Mode::inference) {
        graph = for_inference(std::move(graph));
    }
    Execution execution;
    execution.numerics.mode = mode;
    std::size_t kernels = 0;
    for (auto _ : state) {
        // A model remembers its plans, so each network gets a new model.
        state.PauseTiming();
        const auto model = device();
        state.ResumeTiming();
        kernels += predict_network(graph, execution, *model).kernels();
    }
    state.counters["kernels_per_s"] =
        benchmark::Counter(static_cast<double>(kernels), benchmark::Counter::kIsRate);
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(predict_whole, resnet_50_training, "resnet-50", Mode::training);
BENCHMARK_CAPTURE(predict_whole, bert_base_inference, "bert-base", Mode::inference);
BENCHMARK_CAPTURE(predict_whole, fc_training, "fc:layers=4,nodes=512", Mode::training);

// Like a sweep: one model, different networks.
void sweep_of_fully_connected(benchmark::State& state) {
    std::vector<Graph> graphs;
    for (int nodes = 32; nodes < 4096; nodes += 16) {
        graphs.push_back(load_network({.network = "fc:layers=4,nodes=" + std::to_string(nodes),
                                       .batch = 64,
                                       .dims = {},
                                       .variables = {}}));
    }
    const Execution execution;
    std::size_t kernels = 0;
    for (auto _ : state) {
        state.PauseTiming();
        const auto model = device();
        state.ResumeTiming();
        for (const Graph& graph : graphs) {
            kernels += predict_network(graph, execution, *model).kernels();
        }
    }
    state.counters["kernels_per_s"] =
        benchmark::Counter(static_cast<double>(kernels), benchmark::Counter::kIsRate);
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(graphs.size()));
}
BENCHMARK(sweep_of_fully_connected)->Unit(benchmark::kMillisecond);

}  // namespace
