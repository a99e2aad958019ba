// SPDX-License-Identifier: MIT
#include "run/tune.h"

#include "analyze/algorithm_ranks.h"
#include "analyze/compare.h"
#include "analyze/ran_algorithms.h"
#include "backend/algorithms.h"
#include "base/enumeration.h"
#include "measure/statistics.h"
#include "run/algorithm_candidates.h"
#include "run/lone_layer.h"
#include "run/tuning_networks.h"
#include "run/tuning_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace strata {

namespace {

constexpr int max_confirmations = 3;
constexpr std::size_t max_lengthening = 3;  // of the rounds in which all choices are measured

constexpr Seconds no_limit{1e9};

class Tuning {
public:
    explicit Tuning(const TuningTask& task)
        : task_(task), usual_(task.graph, task.execution, task.backend) {
        outcome_.tunable = usual_.passes();
    }

    TuningOutcome run() {
        take_known();
        outcome_.untried = try_candidates(task_, usual_, outcome_.trials);
        if (!task_.is_stopped()) {
            decide();
        }
        outcome_.spent = task_.clock.now() - task_.begin;
        return std::move(outcome_);
    }

private:
    void take_known() {
        for (const TunablePass& pass : outcome_.tunable) {
            if (task_.hooks.known) {
                std::vector<TuningTrial> known = task_.hooks.known(pass.key);
                std::erase_if(known, [&, all = known](const TuningTrial& trial) {
                    return might_still_win(trial, all);
                });
                std::ranges::move(known, std::back_inserter(outcome_.trials));
            }
        }
    }

    // Whether it ran out of time, undecided, and no other one of its pass is surely as good. (One
    // that left because another was faster has few rounds, too.)
    bool might_still_win(const TuningTrial& trial, std::span<const TuningTrial> all) const {
        const bool is_undecided = trial.ratio && trial.ratio->value < 1 && trial.ratio->high >= 1;
        return is_undecided && trial.rounds < task_.limits.rounds &&
               std::ranges::none_of(all, [&](const TuningTrial& other) {
                   return other.surely_gains() && other.ratio->value <= trial.ratio->value;
               });
    }

    void decide() {
        std::map<ProblemPass, TunedPass> chosen;
        for (const TunablePass& pass : outcome_.tunable) {
            if (const TuningTrial* best = best_of(pass)) {
                chosen.emplace(pass.key, TunedPass{.problem = best->problem,
                                                   .pass = best->pass,
                                                   .algorithm = best->algorithm,
                                                   .implementation = best->implementation,
                                                   .network = task_.graph.name});
            }
        }
        confirm(chosen);
        for (const TunablePass& pass : outcome_.tunable) {
            const auto found = chosen.find(pass.key);
            TunedPass tuned =
                found != chosen.end() && outcome_.is_kept ? found->second : usual_pass(pass.key);
            tuned.candidates = static_cast<std::size_t>(
                std::ranges::count_if(outcome_.trials, [&](const TuningTrial& trial) {
                    return trial.problem == pass.key.problem && trial.pass == pass.key.pass &&
                           trial.rounds > 0;
                }));
            outcome_.passes.push_back(std::move(tuned));
        }
    }

    const Op& op_of(const ProblemPass& key) const {
        const auto found = std::ranges::find(outcome_.tunable, key, &TunablePass::key);
        return task_.graph.layers[found->layer].op;
    }

    TunedPass usual_pass(const ProblemPass& key) const {
        return {.problem = key.problem,
                .pass = key.pass,
                .algorithm = usual_algorithm(op_of(key)),
                .implementation = usual_.step_of(key)->implementation,
                .network = task_.graph.name};
    }

    // The one that surely gains, gains most, and rounds well enough; null: none.
    TuningTrial* best_of(const TunablePass& pass) {
        std::vector<TuningTrial*> gaining;
        for (TuningTrial& trial : outcome_.trials) {
            if (trial.problem == pass.key.problem && trial.pass == pass.key.pass &&
                trial.surely_gains()) {
                gaining.push_back(&trial);
            }
        }
        std::ranges::stable_sort(gaining, {},
                                 [](const auto* trial) { return trial->ratio->value; });
        const auto found = std::ranges::find_if(
            gaining, [&](const TuningTrial* trial) { return rounds_well(pass, *trial); });
        return found == gaining.end() ? nullptr : *found;
    }

    // (Products of the values themselves round as direct convolution does.)
    bool rounds_well(const TunablePass& pass, const TuningTrial& trial) {
        const std::string name(name_of(trial.algorithm));
        if (task_.execution.numerics.dtype != DataType::f32 || trial.algorithm.is_linear() ||
            algorithm_family(name) == "direct") {
            return true;
        }
        task_.tell(fmt::format("errors of {}", name));
        LoneLayer lone(task_.graph, pass.layer);
        const auto executable = task_.backend.prepare(
            lone.graph(), with_algorithm(LoneLayer::execution(task_.execution),
                                         std::get<ConvolutionAlgorithm>(trial.algorithm.kind)));
        std::vector<AlgorithmResult> results(1);
        results.front().pass = pass.key.pass;
        lone.examine(*executable, results);
        const auto& error = results.front().exact_error;
        return error && error->relative_l2 <= task_.limits.max_relative_l2;
    }

    // Keeps those that surely gain beside each other too, and all only if the whole step may
    // replace the usual one.
    void confirm(std::map<ProblemPass, TunedPass>& chosen) {
        for (int i = 1; !chosen.empty() && !task_.is_stopped(); ++i) {
            task_.tell("measuring all choices together");
            measure_together(chosen);
            const bool must_end = i == max_confirmations || task_.left(1).value <= 0;
            if (must_end || drop_losers(chosen) == 0) {
                break;
            }
        }
        if (chosen.empty()) {
            outcome_.whole.reset();
        }
        outcome_.is_kept = chosen.empty() || (outcome_.whole && may_replace(*outcome_.whole));
    }

    // Returns how many, because the others then need to be measured again.
    static std::size_t drop_losers(std::map<ProblemPass, TunedPass>& chosen) {
        return std::erase_if(chosen,
                             [](const auto& entry) { return entry.second.ratio->high >= 1; });
    }

    // In rounds until it is clear whether they may replace the usual algorithms. As many as an
    // interval needs are taken in any case.
    TurnTimes time_beside_usual(TuningNetwork& together) {
        const std::vector<Executable*> both = {&usual_.executable(), &together.executable()};
        TurnTimes times = time_in_turn(
            both, {.max_rounds = min_samples_for_interval, .max_time = no_limit}, task_.clock);
        const auto is_open = [&] {
            const Ratio whole = ratio_of_rounds(times.whole[0].values, times.whole[1].values);
            return whole.value < 1 && !may_replace(whole);
        };
        const std::size_t rounds = task_.limits.rounds;
        while (task_.left(1).value > 0 &&
               (times.rounds < rounds || (times.rounds < max_lengthening * rounds && is_open()))) {
            append(times, time_in_turn(both, {.max_rounds = 2, .max_time = no_limit}, task_.clock));
        }
        return times;
    }

    void measure_together(std::map<ProblemPass, TunedPass>& chosen) {
        std::vector<TunedPass> passes;
        for (const auto& [key, pass] : chosen) {
            passes.push_back(pass);
        }
        Execution execution = task_.execution;
        execution.engine.choices = choices_of(passes);
        TuningNetwork together(task_.graph, execution, task_.backend);
        together.executable().run();
        const TurnTimes times = time_beside_usual(together);
        outcome_.usual = median_of(times.whole[0].values);
        outcome_.whole = ratio_of_rounds(times.whole[0].values, times.whole[1].values);
        for (auto& [key, pass] : chosen) {
            pass.ratio = ratio_of_rounds(usual_.cost_of(key, times.steps[0]),
                                         together.cost_of(key, times.steps[1]));
        }
    }

    TuningTask task_;
    TuningNetwork usual_;
    TuningOutcome outcome_;
};

}  // namespace

bool may_replace(const Ratio& whole) {
    return whole.value < 1 && whole.high <= 1 + ComparisonRules{}.margin;
}

TuningOutcome tune(const Graph& graph, const Execution& execution, Backend& backend,
                   const TuningLimits& limits, Clock& clock, const TuningHooks& hooks) {
    return Tuning({.graph = graph,
                   .execution = with_algorithm(execution, ConvolutionAlgorithm::direct),
                   .backend = backend,
                   .limits = limits,
                   .clock = clock,
                   .hooks = hooks,
                   .begin = clock.now()})
        .run();
}

std::vector<AlgorithmChoice> choices_of(std::span<const TunedPass> passes) {
    std::vector<AlgorithmChoice> choices;
    for (const TunedPass& pass : passes) {
        choices.push_back({.problem = pass.problem,
                           .pass = pass.pass,
                           .algorithm = pass.algorithm,
                           .source = ChoiceSource::tuned});
    }
    return choices;
}

}  // namespace strata
