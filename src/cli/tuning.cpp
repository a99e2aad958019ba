// SPDX-License-Identifier: MIT
#include "cli/tuning.h"

#include "backend/algorithms.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/backends.h"
#include "cli/options.h"
#include "record/algorithm.h"
#include "run/execute.h"
#include "run/stored_choices.h"
#include "store/database.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace strata {

namespace {

bool is_tunable(const std::string& backend) {
    return find_backend(backend).capabilities().has(Capability::algorithm_choices);
}

// Leaves out candidates that were refused for a limit of this command only.
std::vector<TuningTrial> lasting(std::span<const TuningTrial> trials, const Execution& execution) {
    std::vector<TuningTrial> kept;
    for (const TuningTrial& trial : trials) {
        if (trial.ratio || !execution.engine.workspace_limit) {
            kept.push_back(trial);
        }
    }
    return kept;
}

StoredTunings tunings_in(const Database& database, const Job& job, const Backend& backend) {
    return {database, tuning_scope(backend.info(), job.execution)};
}

bool asks_for_fastest(const Job& job) {
    return job.execution.engine.algorithm == ConvolutionAlgorithm::fastest &&
           job.execution.engine.choices.empty();
}

// Tunes what is not yet tuned, unless the user interrupts.
void tune_rest(const Job& job, const StoredChoices& known, const TuningLimits& limits,
               const std::string& database, WhenLocked when_locked) {
    say("{}: tuning {} passes first, for at most {:.4g} s (--tune-time)",
        printable(job.request.network), known.passes - known.tuned.size(), limits.time.value);
    tune_job(job, limits, database, when_locked);
}

// Returns the sentence; empty if nothing is tuned.
std::string apply(const StoredChoices& choices, Job& job) {
    if (choices.tuned.empty()) {
        return {};
    }
    job.execution = with_choices(job.execution, choices);
    return sentence_on(printable(job.request.network), choices);
}

void take_tuning(Job& job, const TuningLimits& limits, const Database& database,
                 const std::string& path, WhenLocked when_locked) {
    const Graph graph = graph_for(job);
    const auto backend = make_backend(find_backend(job.backend), job.execution);
    const StoredTunings tunings = tunings_in(database, job, *backend);
    StoredChoices choices = stored_choices(graph, job.execution, tunings);
    if (asks_for_fastest(job) && !choices.is_complete()) {
        tune_rest(job, choices, limits, path, when_locked);
        choices = stored_choices(graph, job.execution, tunings);
    }
    if (const std::string sentence = apply(choices, job); !sentence.empty()) {
        say("{}", sentence);
    }
}

}  // namespace

void add_tune_time(CLI::App& verb, TuningLimits& limits) {
    add_option(
        verb, "--tune-time", limits.time.value,
        "maximum seconds to tune each network; running the same command again tries the rest")
        ->check(CLI::Range(1.0, 1e6))
        ->type_name("SECONDS");
}

void require_tunable(const std::string& backend) {
    if (!is_tunable(backend)) {
        throw Error(fmt::format("the backend {} takes no algorithm for a single layer: there is "
                                "nothing to tune",
                                backend),
                    ExitCode::usage);
    }
}

TuningOutcome tune_job(const Job& job, const TuningLimits& limits, const std::string& path,
                       WhenLocked when_locked) {
    const MeasuringLock lock = acquire_measuring_lock(when_locked);
    const Database database = Database::open(path);
    const auto backend = make_backend(find_backend(job.backend), job.execution);
    const StoredTunings tunings = tunings_in(database, job, *backend);
    ProgressLine line;
    SteadyClock clock;
    const TuningHooks hooks = {
        .known = [&](const ProblemPass& key) { return tunings.trials(key.problem, key.pass); },
        .tried =
            [&](std::span<const TuningTrial> trials) {
                tunings.store(lasting(trials, job.execution));
            },
        .progress =
            [&](const std::string& what, double fraction) {
                line.show(printable(job.request.network) + ": " + what, fraction);
            },
        .stop = [] { return InterruptGuard::requested().load(); }};
    std::optional<NothingToLose> at_once(std::in_place);  // because each trial is stored at once
    TuningOutcome outcome = tune(graph_for(job), job.execution, *backend, limits, clock, hooks);
    at_once.reset();
    if (!InterruptGuard::requested()) {
        tunings.store(outcome.passes);
    }
    return outcome;
}

void take_tunings(Experiment& experiment, bool is_open, const TuningLimits& limits,
                  const std::string& path, WhenLocked when_locked) {
    const InterruptGuard guard;
    std::optional<Database> opened;  // opened when needed
    for (Group& group : experiment.groups) {
        for (Job& job : group) {
            const bool is_usual = is_open && runs_as_tuned(job.execution);
            const bool takes = is_tunable(job.backend) && (is_usual || asks_for_fastest(job));
            if (takes && !InterruptGuard::requested()) {
                if (!opened) {
                    opened.emplace(Database::open(path));
                }
                take_tuning(job, limits, *opened, path, when_locked);
            }
        }
    }
}

std::string take_stored_tuning(Job& job, const std::string& path) {
    if (!is_tunable(job.backend) || !runs_as_tuned(job.execution)) {
        return {};
    }
    const Database database = Database::open(path);
    const auto backend = make_backend(find_backend(job.backend), job.execution);
    return apply(stored_choices(graph_for(job), job.execution, tunings_in(database, job, *backend)),
                 job);
}

void require_choices(std::vector<AlgorithmChoice> choices, std::span<const Job> networks) {
    for (const Job& job : networks) {
        if (choices.empty()) {
            return;
        }
        const Graph graph = graph_for(job);
        std::erase_if(choices, [&](const AlgorithmChoice& choice) {
            return std::ranges::any_of(
                graph.layers, [&](const Layer& layer) { return is_for(choice, graph, layer); });
        });
    }
    if (!choices.empty()) {
        throw Error(
            fmt::format("--choose '{}' matches no layer: it needs the name of a {} layer",
                        printable(text_of(std::vector{choices.front()})),
                        choices.front().algorithm.is_linear() ? "fully connected or recurrent"
                                                              : "convolution"),
            ExitCode::usage);
    }
}

}  // namespace strata
