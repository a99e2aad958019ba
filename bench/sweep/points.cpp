// SPDX-License-Identifier: MIT The number of points of ParaDnn's grids predicted per second on one
// thread, with and without a graph, and of points predicted and stored. items_per_second are
// points.
//
//     taskset -c 0 bench_sweep --benchmark_repetitions=5
//     --benchmark_enable_random_interleaving=true
#include "sweep/predicted.h"
#include "tests/support/temporary_directory.h"

#include <benchmark/benchmark.h>

namespace {

using namespace strata;

SweepSpec grid(const char* name) {
    SweepSpec spec = find_sweep(name);
    spec.devices = {"v100"};
    return spec;
}

// Predicts runs of neighbouring points, `stride` apart, as a sweep does.
void predict(benchmark::State& state, const char* name, KeptSteps steps, std::int64_t stride) {
    constexpr std::int64_t neighbours = 45;  // all batches of some networks
    const SweepSpec spec = grid(name);
    const std::int64_t count = count_points(spec);
    std::int64_t points = 0;
    for (auto _ : state) {
        PointPredictor predictor(spec, steps);
        for (std::int64_t first = 0; first < count; first += neighbours * stride) {
            for (std::int64_t i = first; i < std::min(count, first + neighbours); ++i) {
                benchmark::DoNotOptimize(predictor.predicted(i));
                ++points;
            }
        }
    }
    state.SetItemsProcessed(points);
}
BENCHMARK_CAPTURE(predict, fc, "paradnn-fc", KeptSteps::none, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, fc_steps, "paradnn-fc", KeptSteps::all, 20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, bottleneck, "paradnn-bottleneck", KeptSteps::none, 1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, bottleneck_steps, "paradnn-bottleneck", KeptSteps::all, 8)
    ->Unit(benchmark::kMillisecond);

void predict_and_store(benchmark::State& state, const char* name) {
    const SweepSpec spec = grid(name);
    for (auto _ : state) {
        state.PauseTiming();
        const TemporaryDirectory directory;
        const Database database = Database::open(directory.path() / "runs.sqlite");
        state.ResumeTiming();
        predict_sweep(spec, {}, database, {.threads = 1, .steps = KeptSteps::none});
    }
    state.SetItemsProcessed(state.iterations() * count_points(spec));
}
BENCHMARK_CAPTURE(predict_and_store, fc, "paradnn-fc")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict_and_store, bottleneck, "paradnn-bottleneck")
    ->Unit(benchmark::kMillisecond);

}  // namespace
