// SPDX-License-Identifier: MIT where_time_goes NETWORK BATCH DATABASE: measures a training step for
// a second, stores the run in a database that `strata explain` and `strata report` also read, loads
// it again, and prints the five steps with the largest possible gain.
#include "analyze/bottleneck.h"
#include "analyze/summary.h"
#include "backend/module.h"
#include "backend/reference/reference.h"
#include "base/error.h"
#include "device/host.h"
#include "measure/ceilings.h"
#include "run/execute.h"
#include "store/load.h"
#include "store/save.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

namespace {

// The fast engine, from the folder that STRATA_BACKEND_PATH names, or else the plain loops.
std::unique_ptr<strata::Backend> some_backend() {
    try {
        return strata::open_backend_module("onednn");
    } catch (const strata::Error& missing) {
        std::fprintf(stderr, "%s\nusing the reference loops instead, which are slow but correct\n",
                     missing.what());
        return strata::make_reference_backend();
    }
}

// Returns the run's id in the database.
std::int64_t measure(const strata::Job& asked, const strata::Database& database) {
    const strata::Host host = strata::detect_host();  // before the backend binds this thread
    const auto backend = some_backend();
    strata::Job job = asked;
    job.backend = backend->info().name;
    strata::Run run = strata::execute(strata::planned(job), *backend, {});
    if (!run.device) {  // `strata calibrate` was never run here: measure quickly instead
        const strata::CeilingEffort quick = {.max_time_per_kernel = strata::Seconds{0.02},
                                             .max_memory = strata::Bytes{64 << 20}};
        run.device = strata::measure_ceilings(host, run.settings.threads(), quick);
    }
    strata::save_run(database, run);
    return run.id;
}

// The step's time beyond the minimum for its arithmetic and traffic at this machine's ceilings.
double milliseconds_to_win(const strata::StepBound& bound) {
    return bound.headroom ? std::max(1e3 * bound.headroom->value, 0.0) : 0.0;
}

void print_most_to_win(const strata::Run& run) {
    const auto bounds = strata::bounds_of(run);
    const auto summary = strata::summarise(run);
    std::vector<std::size_t> order(run.steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return milliseconds_to_win(bounds[i]); });
    order.resize(std::min<std::size_t>(order.size(), 5));

    std::printf("run %lld: %s, batch %lld, %s\n", static_cast<long long>(run.id),
                run.settings.network.c_str(), static_cast<long long>(run.settings.batch),
                run.settings.backend.c_str());
    std::printf("%-32s %10s %10s  %s\n", "step", "time [ms]", "to win", "bound");
    for (const std::size_t i : order) {
        const auto& time = summary.steps[i].time;
        if (!time) {
            continue;  // it could not run: run.steps[i].time holds the reason
        }
        const std::string step =
            run.steps[i].layer + " " + std::string(strata::name_of(run.steps[i].pass));
        std::printf("%-32s %10.4f %10.4f  %s\n", step.c_str(), 1e3 * time->median.value,
                    milliseconds_to_win(bounds[i]), strata::name_of(bounds[i].verdict).data());
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) {
        std::fprintf(stderr, "usage: where_time_goes NETWORK BATCH DATABASE\n");
        return 2;
    }
    try {
        strata::Job job;
        job.request = {
            .network = argv[1], .batch = std::atoll(argv[2]), .dims = {}, .variables = {}};
        job.policy.min_time = strata::Seconds{0.2};
        job.policy.max_time = strata::Seconds{1};
        const auto database = strata::Database::open(argv[3]);
        const std::int64_t id = measure(job, database);
        print_most_to_win(strata::load_run(database, id));
        return 0;
    } catch (const strata::Error& error) {  // one sentence: what, where, what to do
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
}
