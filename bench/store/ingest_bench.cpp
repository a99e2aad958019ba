// SPDX-License-Identifier: MIT The speed of storing and loading runs: a run of ResNet-50's size has
// about 600 steps.
#include "store/load.h"
#include "store/save.h"
#include "tests/support/temporary_directory.h"

#include <benchmark/benchmark.h>

#include <algorithm>

namespace strata {
namespace {

Run run_of(std::size_t steps, std::size_t samples) {
    Run run;
    run.created = "2026-11-21T13:15:00Z";
    run.settings.backend = "onednn";
    run.settings.network = "resnet-50";
    for (std::size_t i = 0; i < steps; ++i) {
        run.steps.push_back({.layer = "layer" + std::to_string(i / 4),
                             .operation = "convolution",
                             .pass = all_passes[i % all_passes.size()],
                             .kind = StepKind::compute,
                             .implementation = "jit:avx512_core",
                             .algorithm = "direct",
                             .layout = "nChw16c -> nChw16c",
                             .problem = "convolution of layer" + std::to_string(i / 4),
                             .workspace = {},
                             .flops = {1e9},
                             .read = {1e6},
                             .written = {1e6},
                             .time = Samples{std::vector<Seconds>(samples, Seconds{1e-3})}});
    }
    return run;
}

constexpr std::size_t steps = 600;

void count_steps(benchmark::State& state) {
    state.counters["steps/s"] = benchmark::Counter(static_cast<double>(steps),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}

void save(benchmark::State& state) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    Run run = run_of(steps, static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        run.id = 0;
        save_run(database, run);
    }
    count_steps(state);
}
BENCHMARK(save)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void add_sample(Run& run) {
    const auto add = [](Samples& samples) { samples.values.push_back(Seconds{1e-3}); };
    add(run.whole.end_to_end);
    add(run.whole.instrumented);
    std::ranges::for_each(run.steps, [&](StepResult& step) { add(std::get<Samples>(step.time)); });
}

// A checkpoint of a network with 1,000 steps that has this many samples of each and gained one
// more.
void checkpoint(benchmark::State& state) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    Run run = run_of(1000, 0);
    begin_run(database, run);
    Checkpoints checkpoints(database, run);
    for (int i = 0; i < state.range(0); ++i) {
        add_sample(run);
    }
    checkpoints.store(run);
    for (auto _ : state) {
        state.PauseTiming();
        add_sample(run);
        state.ResumeTiming();
        checkpoints.store(run);
    }
}
BENCHMARK(checkpoint)->Arg(10)->Arg(200)->Arg(2000)->Unit(benchmark::kMillisecond)->Iterations(30);

void load(benchmark::State& state) {
    const TemporaryDirectory directory;
    const Database database = Database::open(directory.path() / "runs.sqlite");
    Run run = run_of(steps, static_cast<std::size_t>(state.range(0)));
    save_run(database, run);
    for (auto _ : state) {
        benchmark::DoNotOptimize(load_run(database, run.id));
    }
    count_steps(state);
}
BENCHMARK(load)->Arg(10)->Arg(1000)->Unit(benchmark::kMillisecond);

void open_database(benchmark::State& state) {
    const TemporaryDirectory directory;
    { Database::open(directory.path() / "runs.sqlite"); }
    for (auto _ : state) {
        benchmark::DoNotOptimize(Database::open(directory.path() / "runs.sqlite"));
    }
}
BENCHMARK(open_database)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strata
