// SPDX-License-Identifier: MIT The time of analyses of 100,000 stored runs: reading them in one
// line each, a regression and a heat map. The runs are from a predicted sweep, with 8 steps each.
#include "analyze/distribution.h"
#include "analyze/speedup.h"
#include "store/observations.h"
#include "store/save.h"
#include "tests/support/temporary_directory.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace strata {
namespace {

constexpr int runs_in_sweep = 100'000;
constexpr int steps_of_run = 8;

Run swept(int i) {
    Run run;
    run.created = "2026-11-21T13:15:00Z";
    run.origin = Origin::modelled;
    run.settings.backend = i % 2 == 0 ? "modelled:v100" : "modelled:h100";
    run.settings.network = fmt::format("fc:layers={},nodes={},inputs={},outputs={}", 1 + i / 2 % 20,
                                       32 << (i / 40 % 9), 2000 + i / 360 % 4, 200 + i / 1440 % 5);
    run.settings.batch = 1 + i / 7200;
    for (int step = 0; step < steps_of_run; ++step) {
        run.steps.push_back({.layer = fmt::format("fc{}", step),
                             .operation = "fully_connected",
                             .pass = Pass::forward,
                             .kind = StepKind::compute,
                             .implementation = "sgemm",
                             .algorithm = "",
                             .layout = "",
                             .problem = "",
                             .workspace = {},
                             .flops = {1e9 + i},
                             .read = {1e6},
                             .written = {1e6},
                             .time = Samples{{Seconds{1e-4}}}});
    }
    run.whole.end_to_end.values = {Seconds{1e-3 + 1e-8 * (i % 977)}};
    return run;
}

// Stored once for all benchmarks, without waiting for the disk.
const Database& sweep_of_runs() {
    static const TemporaryDirectory directory;
    static const Database database = [] {
        Database made = Database::open(directory.path() / "runs.sqlite");
        made.execute("PRAGMA synchronous = OFF");
        for (int i = 0; i < runs_in_sweep; ++i) {
            Run run = swept(i);
            save_run(made, run);
        }
        return made;
    }();
    return database;
}

void read_runs(benchmark::State& state) {
    const Database& database = sweep_of_runs();
    for (auto _ : state) {
        benchmark::DoNotOptimize(load_observations(database));
    }
}
BENCHMARK(read_runs)->Unit(benchmark::kMillisecond);

void analyse_runs(benchmark::State& state) {
    const Database& database = sweep_of_runs();
    for (auto _ : state) {
        const Observations all = load_observations(database);
        for (const BackendRuns& group : by_backend(all)) {
            const auto names = varied_parameters(group.runs);
            benchmark::DoNotOptimize(regress(
                regression_data(all, group.runs, ObservedMetric::rate, names), {.order = 2}));
            benchmark::DoNotOptimize(
                heat_map(all, group.runs, ObservedMetric::rate, "layers", "nodes"));
        }
    }
}
BENCHMARK(analyse_runs)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strata
