// SPDX-License-Identifier: MIT
#include "run/stored_choices.h"

#include "backend/algorithms.h"
#include "measure/environment.h"
#include "run/job.h"
#include "run/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace strata {

namespace {

// The passes of a network's distinct convolutions and linear layers.
std::set<ProblemPass> tunable_passes(const Plan& plan) {
    const Graph& graph = plan.graph;
    std::map<LayerId, std::string> problems;
    std::set<ProblemPass> passes;
    for (const Task& task : plan.schedule.tasks) {
        const Layer& layer = graph.layers[task.layer];
        if (task.pass == Pass::update || !has_algorithms(layer.op)) {
            continue;
        }
        auto& problem = problems[task.layer];
        problem = problem.empty() ? problem_text(graph, layer) : problem;
        passes.insert({problem, task.pass});
    }
    return passes;
}

std::size_t count_changed(const StoredChoices& choices) {
    return static_cast<std::size_t>(std::ranges::count_if(
        choices.tuned, [](const TunedPass& pass) { return !pass.algorithm.is_usual(); }));
}

bool changes_convolutions(const StoredChoices& choices) {
    return std::ranges::any_of(choices.tuned, [](const TunedPass& pass) {
        return !pass.algorithm.is_usual() && !pass.algorithm.is_linear();
    });
}

}  // namespace

TuningScope tuning_scope(const BackendInfo& backend, const Execution& execution) {
    const auto machine = describe_environment();
    const auto known = [&](const char* fact) {
        const auto found = machine.find(fact);
        return found == machine.end() ? std::string("unknown") : found->second;
    };
    return {.machine = fmt::format("{}, {} processors", known("cpu.model"), known("cpu.logical")),
            .instructions = backend.details,
            .library = backend.name + " " + backend.version,
            .kernels = std::to_string(tuned_kernels_version),
            .threads = thread_count(execution),
            .dtype = execution.numerics.dtype,
            .mode = execution.numerics.mode,
            .fusion = execution.engine.fusion};
}

bool runs_as_tuned(const Execution& execution) {
    const EngineOptions& engine = execution.engine;
    return engine.image_layout == ImageLayout::automatic && engine.bias == BiasAddition::fused;
}

StoredChoices stored_choices(const Plan& plan, const StoredTunings& tunings) {
    StoredChoices choices;
    for (const ProblemPass& key : tunable_passes(plan)) {
        ++choices.passes;
        if (auto tuned = tunings.tuned(key.problem, key.pass)) {
            choices.tuned.push_back(*std::move(tuned));
        }
    }
    return choices;
}

Execution with_choices(Execution execution, const StoredChoices& choices) {
    const bool is_fastest = changes_convolutions(choices);
    execution.engine.algorithm =
        is_fastest ? ConvolutionAlgorithm::fastest : ConvolutionAlgorithm::automatic;
    execution.engine.choices.clear();
    if (count_changed(choices) == 0) {
        return execution;
    }
    execution.engine.choices = choices_of(choices.tuned);
    if (choices.is_complete() || !is_fastest) {
        return execution;
    }
    for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
        // (A glob for every layer covers untuned convolutions: the first match
        // counts.)
        execution.engine.choices.push_back(
            {.problem = "*", .pass = pass, .source = ChoiceSource::heuristic});
    }
    return execution;
}

std::string sentence_on(const std::string& network, const StoredChoices& choices) {
    return fmt::format(
        "{}: {} of {} convolution and linear passes are tuned, {} of them to another algorithm "
        "than the usual one; --algorithm auto uses no tuning",
        network, choices.tuned.size(), choices.passes, count_changed(choices));
}

}  // namespace strata
