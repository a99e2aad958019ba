// SPDX-License-Identifier: MIT
#include "cli/tuning.h"

#include "backend/algorithms.h"
#include "base/error.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/options.h"
#include "record/algorithm.h"
#include "record/engines.h"
#include "run/stored_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace strata {

namespace {

bool is_tunable(const std::string& backend) {
    return capabilities_of(backend).has(Capability::algorithm_choices);
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

StoredTunings tunings_for(Session& session, const Job& job) {
    return {session.database(), tuning_scope(session.backend_of(job)->info(), job.execution)};
}

bool asks_for_fastest(const Job& job) {
    return job.execution.engine.algorithm == ConvolutionAlgorithm::fastest &&
           job.execution.engine.choices.empty();
}

// Returns the sentence; empty if nothing is tuned.
std::string apply(const StoredChoices& choices, Job& job) {
    if (choices.tuned.empty()) {
        return {};
    }
    job.execution = with_choices(job.execution, choices);
    return sentence_on(printable(job.request.network), choices);
}

// Tunes what is not yet tuned, unless the user interrupts.
void take_tuning(Session& session, Job& job, const TuningLimits& limits) {
    const StoredTunings tunings = tunings_for(session, job);
    StoredChoices choices = stored_choices(*job.plan, tunings);
    if (asks_for_fastest(job) && !choices.is_complete()) {
        say("{}: tuning {} passes first, for at most {:.4g} s (--tune-time)",
            printable(job.request.network), choices.passes - choices.tuned.size(),
            limits.time.value);
        tune_job(session, job, limits);
        choices = stored_choices(*job.plan, tunings);
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

TuningOutcome tune_job(Session& session, const Job& job, const TuningLimits& limits) {
    const MeasuringLock lock = session.take_turn();
    const StoredTunings tunings = tunings_for(session, job);
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
    TuningOutcome outcome =
        tune(*job.plan, job.execution, *session.backend_of(job), limits, clock, hooks);
    at_once.reset();
    if (!InterruptGuard::requested()) {
        tunings.store(outcome.passes);
    }
    return outcome;
}

void take_tunings(Session& session, Experiment& experiment, bool is_open,
                  const TuningLimits& limits) {
    const InterruptGuard guard;
    for (Group& group : experiment.groups) {
        for (Job& job : group) {
            const bool is_usual = is_open && runs_as_tuned(job.execution);
            const bool takes = is_tunable(job.backend) && (is_usual || asks_for_fastest(job));
            if (takes && !InterruptGuard::requested()) {
                take_tuning(session, job, limits);
            }
        }
    }
}

std::string take_stored_tuning(Session& session, Job& job) {
    if (!is_tunable(job.backend) || !runs_as_tuned(job.execution)) {
        return {};
    }
    return apply(stored_choices(*job.plan, tunings_for(session, job)), job);
}

void require_choices(std::vector<AlgorithmChoice> choices, std::span<const Job> networks) {
    for (const Job& job : networks) {
        if (choices.empty()) {
            return;
        }
        const Graph& graph = job.plan->graph;
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
