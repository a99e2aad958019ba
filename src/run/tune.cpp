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

constexpr double terms_of_errors = 1e7;  // of each pass

using ErrorsByPass = std::map<Pass, double>;  // relative L2

class Tuning {
public:
    explicit Tuning(const TuningTask& task)
        : task_(task), usual_(task.plan.graph, task.execution, task.backend) {
        outcome_.tunable = usual_.passes();
    }

    TuningOutcome run() {
        take_known();
        const std::size_t known = outcome_.trials.size();
        outcome_.untried = try_candidates(task_, usual_, outcome_.trials, costs_);
        has_tried_ = outcome_.trials.size() > known;
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

    // Whether it ran out of time undecided and no other of its pass is certainly as good. (One that
    // left because another was faster has few rounds too.)
    bool might_still_win(const TuningTrial& trial, std::span<const TuningTrial> all) const {
        const bool is_undecided = trial.ratio && trial.ratio->value < 1 && trial.ratio->high >= 1;
        return is_undecided && trial.rounds < task_.limits.rounds &&
               std::ranges::none_of(all, [&](const TuningTrial& other) {
                   return other.surely_gains() && other.ratio->value <= trial.ratio->value;
               });
    }

    void decide() {
        if (!has_time_to_confirm()) {
            outcome_.unconfirmed = static_cast<std::size_t>(std::ranges::count_if(
                outcome_.tunable,
                [&](const TunablePass& pass) { return !gaining_in(pass.key).empty(); }));
            if (outcome_.unconfirmed > 0) {
                return;
            }
        }
        std::map<ProblemPass, TunedPass> chosen;
        for (const TunablePass& pass : largest_savings_first()) {
            if (const TuningTrial* best = best_of(pass)) {
                chosen.emplace(pass.key, TunedPass{.problem = best->problem,
                                                   .pass = best->pass,
                                                   .algorithm = best->algorithm,
                                                   .implementation = best->implementation,
                                                   .network = task_.plan.graph.name});
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

    // The next tuning knows these trials; it checks and confirms however long that
    // takes.
    bool has_time_to_confirm() const {
        constexpr double tolerance = 0.05;
        return !has_tried_ || costs_.confirmation() <= task_.left(1 + tolerance);
    }

    const Op& op_of(const ProblemPass& key) const {
        const auto found = std::ranges::find(outcome_.tunable, key, &TunablePass::key);
        return task_.plan.graph.layers[found->layer].op;
    }

    TunedPass usual_pass(const ProblemPass& key) const {
        return {.problem = key.problem,
                .pass = key.pass,
                .algorithm = usual_algorithm(op_of(key)),
                .implementation = usual_.step_of(key)->implementation,
                .network = task_.plan.graph.name};
    }

    // The candidates that certainly gain, largest gain first.
    std::vector<const TuningTrial*> gaining_in(const ProblemPass& key) const {
        std::vector<const TuningTrial*> gaining;
        for (const TuningTrial& trial : outcome_.trials) {
            if (trial.problem == key.problem && trial.pass == key.pass && trial.surely_gains()) {
                gaining.push_back(&trial);
            }
        }
        std::ranges::stable_sort(gaining, {},
                                 [](const auto* trial) { return trial->ratio->value; });
        return gaining;
    }

    // Within an iteration; time may run out before the errors of all are known.
    std::vector<TunablePass> largest_savings_first() const {
        std::vector<TunablePass> passes = outcome_.tunable;
        std::ranges::stable_sort(passes, std::greater(), [&](const TunablePass& pass) {
            const auto gaining = gaining_in(pass.key);
            return gaining.empty() ? Seconds{}
                                   : (gaining.front()->usual - gaining.front()->own) * pass.layers;
        });
        return passes;
    }

    // The one with the largest gain and small enough rounding errors; null: none.
    const TuningTrial* best_of(const TunablePass& pass) {
        const auto gaining = gaining_in(pass.key);
        const auto found = std::ranges::find_if(
            gaining, [&](const TuningTrial* trial) { return rounds_well(pass, *trial); });
        return found == gaining.end() ? nullptr : *found;
    }

    // (Products of the untransformed values round like direct convolution.)
    bool rounds_well(const TunablePass& pass, const TuningTrial& trial) {
        const std::string name(name_of(trial.algorithm));
        if (task_.execution.numerics.dtype != DataType::f32 || trial.algorithm.is_linear() ||
            algorithm_family(name) == "direct") {
            return true;
        }
        const auto errors = checks_.find({pass.layer, name});
        if (errors == checks_.end() && !has_time_to_check(pass, trial)) {
            ++outcome_.unchecked;
            return false;
        }
        const ErrorsByPass& of_layer =
            errors == checks_.end() ? check_errors(pass, trial) : errors->second;
        const auto found = of_layer.find(pass.key.pass);
        return found != of_layer.end() && found->second <= task_.limits.max_relative_l2;
    }

    bool has_time_to_check(const TunablePass& pass, const TuningTrial& trial) const {
        const Seconds cost = costs_.check(layer_time(pass.key.problem, trial.algorithm));
        return !has_tried_ || cost + costs_.confirmation() <= task_.left(1);
    }

    // The usual times of the passes in which this algorithm certainly gains.
    Seconds layer_time(const std::string& problem, const PassAlgorithm& algorithm) const {
        Seconds time;
        for (const TuningTrial& trial : outcome_.trials) {
            if (trial.problem == problem && trial.algorithm == algorithm && trial.surely_gains()) {
                time += trial.usual;
            }
        }
        return time;
    }

    // The errors of all passes of the layer in which the algorithm certainly gains, at once.
    const ErrorsByPass& check_errors(const TunablePass& pass, const TuningTrial& wanted) {
        const std::string name(name_of(wanted.algorithm));
        task_.tell(fmt::format("errors of {} in {}", name, pass.name));
        const Seconds begin = task_.clock.now();
        LoneLayer lone(task_.plan.graph, pass.layer, terms_of_errors);
        const auto executable = task_.backend.prepare(
            lone.graph(), with_algorithm(LoneLayer::execution(task_.execution),
                                         std::get<ConvolutionAlgorithm>(wanted.algorithm.kind)));
        std::vector<AlgorithmResult> results;
        for (const TuningTrial& trial : outcome_.trials) {
            if (trial.problem == wanted.problem && trial.algorithm == wanted.algorithm &&
                trial.surely_gains()) {
                results.emplace_back().pass = trial.pass;
            }
        }
        lone.examine_errors(*executable, results);
        costs_.checks += task_.clock.now() - begin;
        costs_.checked += layer_time(wanted.problem, wanted.algorithm);
        ErrorsByPass& errors = checks_[{pass.layer, name}];
        for (const AlgorithmResult& result : results) {
            if (result.exact_error) {
                errors.emplace(result.pass, result.exact_error->relative_l2);
            }
        }
        return errors;
    }

    // Keeps those that certainly gain together too, and all only if the whole step may replace the
    // usual one.
    void confirm(std::map<ProblemPass, TunedPass>& chosen) {
        for (int i = 1; !chosen.empty() && !task_.is_stopped(); ++i) {
            task_.tell("measuring all choices together");
            measure_together(chosen);
            const bool must_end = i == max_confirmations || task_.left(1) < costs_.confirmation();
            if (must_end || drop_losers(chosen) == 0) {
                break;
            }
        }
        if (chosen.empty()) {
            outcome_.whole.reset();
        }
        outcome_.is_kept = chosen.empty() || (outcome_.whole && may_replace(*outcome_.whole));
    }

    // Each certainly gained before, so here it need only still appear to, since noise hides small
    // gains. Returns how many do, because the others then need to be measured again.
    static std::size_t drop_losers(std::map<ProblemPass, TunedPass>& chosen) {
        return std::erase_if(chosen, [](const auto& entry) {
            const Ratio& ratio = *entry.second.ratio;
            return ratio.high >= 1 && ratio.value > 1 - ComparisonRules{}.margin;
        });
    }

    // Measures in rounds until it is clear whether they may replace the usual algorithms, at least
    // as many as an interval needs.
    Contest measured_beside_usual(TuningNetwork& together) {
        Contest contest =
            contest_of(std::vector<Executable*>{&usual_.executable(), &together.executable()});
        const auto is_open = [&] {
            const Ratio whole = ratio_of_rounds(contest.whole(0), contest.whole(1));
            return whole.low < 1 && !may_replace(whole);
        };
        const auto has_time = [&] {
            return rounds_that_fit(contest.last_round(), task_.left(1), 1) > 0;
        };
        const std::size_t rounds = task_.limits.rounds;
        while (contest.rounds() < rounds_to_confirm ||
               (has_time() && (contest.rounds() < rounds ||
                               (contest.rounds() < max_lengthening * rounds && is_open())))) {
            contest.run_round();
        }
        return contest;
    }

    void measure_together(std::map<ProblemPass, TunedPass>& chosen) {
        std::vector<TunedPass> passes;
        for (const auto& [key, pass] : chosen) {
            passes.push_back(pass);
        }
        Execution execution = task_.execution;
        execution.engine.choices = choices_of(passes);
        TuningNetwork together(task_.plan.graph, execution, task_.backend);
        together.executable().run();
        const Contest contest = measured_beside_usual(together);
        outcome_.usual = median_of(contest.whole(0));
        outcome_.whole = ratio_of_rounds(contest.whole(0), contest.whole(1));
        for (auto& [key, pass] : chosen) {
            pass.ratio = ratio_of_rounds(usual_.cost_of(key, contest.parts(0)),
                                         together.cost_of(key, contest.parts(1)));
        }
    }

    TuningTask task_;
    TuningNetwork usual_;
    TuningCosts costs_;
    bool has_tried_ = false;                                          // something new
    std::map<std::pair<LayerId, std::string>, ErrorsByPass> checks_;  // by layer and algorithm
    TuningOutcome outcome_;
};

}  // namespace

bool may_replace(const Ratio& whole) {
    return whole.value < 1 && whole.high <= 1 + ComparisonRules{}.margin;
}

TuningOutcome tune(const Plan& plan, const Execution& execution, Backend& backend,
                   const TuningLimits& limits, Clock& clock, const TuningHooks& hooks) {
    return Tuning({.plan = plan,
                   .execution = with_algorithm(execution, ConvolutionAlgorithm::automatic),
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
