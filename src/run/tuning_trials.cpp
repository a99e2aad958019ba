// SPDX-License-Identifier: MIT
#include "run/tuning_trials.h"

#include "backend/algorithms.h"
#include "base/enumeration.h"
#include "measure/memory_use.h"
#include "measure/statistics.h"
#include "run/algorithm_candidates.h"
#include "run/tuning_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace strata {

namespace {

// The share of the time after which no further candidate is begun: the rest is for the network with
// all choices.
constexpr double share_of_trials = 0.7;
// A candidate whose first iteration, which also touches its memory, takes this many times as long
// as the usual one in all its passes is hopeless.
constexpr double hopeless_at_first = 3;

std::vector<Samples> single_samples(const std::vector<Seconds>& times) {
    std::vector<Samples> samples;
    for (const Seconds time : times) {
        samples.push_back({{time}});
    }
    return samples;
}

class Trials {
public:
    Trials(const TuningTask& task, TuningNetwork& usual, std::vector<TuningTrial>& trials,
           TuningCosts& costs)
        : task_(task),
          usual_(usual),
          trials_(trials),
          costs_(costs),
          must_try_(std::ranges::none_of(trials, &TuningTrial::surely_gains)) {
        usual_.executable().run();
        costs_.preparation = task.clock.now() - task.begin;
        std::vector<Seconds> times(usual_.executable().steps().size());
        costs_.step = usual_.executable().run_timed(times);
        usual_times_ = single_samples(times);
    }

    std::size_t try_all() {
        std::vector<CandidateGroup> waiting = untried_groups();
        while (!waiting.empty() && !task_.is_stopped() && (must_try_ || has_time_for(1))) {
            try_together(waiting);
            must_try_ = false;
        }
        std::size_t untried = 0;
        for (const CandidateGroup& group : untried_groups()) {
            untried += untried_in(group);
        }
        return untried;
    }

private:
    // The time for trials: the rest is for errors and the network with all choices.
    Seconds time_left() const {
        return std::min(task_.left(share_of_trials), task_.left(1) - costs_.end());
    }

    const Op& op_of(const TunablePass& pass) const {
        return task_.plan.graph.layers[pass.layer].op;
    }

    bool is_known(const ProblemPass& key, const PassAlgorithm& algorithm) const {
        return std::ranges::any_of(trials_, [&](const TuningTrial& trial) {
            return trial.problem == key.problem && trial.pass == key.pass &&
                   trial.algorithm == algorithm;
        });
    }

    // How many of the group's algorithms lack a trial for a pass they apply to.
    std::size_t untried_in(const CandidateGroup& group) const {
        return static_cast<std::size_t>(
            std::ranges::count_if(group, [&](const PassAlgorithm& algorithm) {
                return std::ranges::any_of(usual_.passes(), [&](const TunablePass& pass) {
                    return candidate_for(group, op_of(pass)) == algorithm &&
                           !is_known(pass.key, algorithm);
                });
            }));
    }

    std::vector<CandidateGroup> untried_groups() const {
        std::vector<CandidateGroup> waiting = candidate_groups();
        std::erase_if(waiting, [&](const CandidateGroup& group) { return untried_in(group) == 0; });
        return waiting;
    }

    // Takes as many waiting groups as memory and time allow.
    void try_together(std::vector<CandidateGroup>& waiting) {
        std::vector<TuningVariant> variants;
        const auto has_place = [&] {
            return variants.empty() || (has_room() && has_time_for(variants.size() + 1));
        };
        while (!waiting.empty() && !task_.is_stopped() && has_place()) {
            task_.tell(fmt::format("preparing {}", text_of(waiting.front())));
            add_variant(waiting.front(), variants);
            waiting.erase(waiting.begin());
        }
        if (!variants.empty()) {
            measure(std::move(variants), static_cast<double>(waiting.size()));
        }
    }

    // (An algorithm's extra memory is not known in advance: room for one more is left.)
    bool has_room() const {
        const auto available = available_memory();
        return !available || *available >= 3 * task_.plan.footprint.peak;
    }

    // Whether this many networks can be measured with the usual one, the last of them still to be
    // prepared.
    bool has_time_for(std::size_t count) const { return time_left() > costs_.trial(count); }

    std::string text_of(const CandidateGroup& group) const {
        std::string text;
        for (const TunablePass& pass : usual_.passes()) {
            const auto algorithm = candidate_for(group, op_of(pass));
            const std::string name(algorithm ? name_of(*algorithm) : "");
            if (text.find(name) == std::string::npos) {
                text += (text.empty() ? "" : " and ") + name;
            }
        }
        return text;
    }

    Execution execution_by(const CandidateGroup& group) const {
        Execution execution = task_.execution;
        for (const TunablePass& pass : usual_.passes()) {
            if (const auto algorithm = candidate_for(group, op_of(pass))) {
                execution.engine.choices.push_back({.problem = pass.key.problem,
                                                    .pass = pass.key.pass,
                                                    .algorithm = *algorithm,
                                                    .source = ChoiceSource::heuristic});
            }
        }
        return execution;
    }

    void add_variant(const CandidateGroup& group, std::vector<TuningVariant>& variants) {
        const Seconds begin = task_.clock.now();
        TuningVariant variant{{task_.plan.graph, execution_by(group), task_.backend}};
        for (const TunablePass& pass : usual_.passes()) {
            for (const PassAlgorithm& algorithm : group) {
                if (algorithm.is_linear() == is_linear(op_of(pass)) &&
                    !is_known(pass.key, algorithm)) {
                    add_try(pass, algorithm, group, variants, variant);
                }
            }
        }
        if (!variant.tries.empty()) {
            drop_hopeless(variant);
        }
        const Seconds preparation = task_.clock.now() - begin;
        if (!variant.tries.empty()) {
            costs_.preparation = preparation;  // (A hopeless one's says little about others.)
            variants.push_back(std::move(variant));
        }
    }

    void add_try(const TunablePass& pass, const PassAlgorithm& algorithm,
                 const CandidateGroup& group, const std::vector<TuningVariant>& others,
                 TuningVariant& variant) {
        const bool is_for_it = candidate_for(group, op_of(pass)) == algorithm;
        std::string reason = is_for_it ? reason_against_try(pass.key, algorithm, others, variant)
                                       : std::string("not for this window");
        if (reason.empty()) {
            variant.tries.emplace(pass.key, algorithm);
        } else {
            add_trials({{.problem = pass.key.problem,
                         .pass = pass.key.pass,
                         .algorithm = algorithm,
                         .reason = std::move(reason)}});
        }
    }

    // Also if it would be identical to another one.
    std::string reason_against_try(const ProblemPass& key, const PassAlgorithm& algorithm,
                                   const std::vector<TuningVariant>& others,
                                   const TuningVariant& variant) const {
        const Step* own = variant.network.step_of(key);
        if (own == nullptr) {
            return "it does not run";
        }
        if (std::string reason = reason_against(*own, algorithm); !reason.empty()) {
            return reason;
        }
        const auto is_same = [&](const Step* other) {
            return other != nullptr && other->implementation == own->implementation &&
                   other->layout == own->layout;
        };
        if (is_same(usual_.step_of(key))) {
            return fmt::format("the same as {}", usual_name(algorithm));
        }
        for (const TuningVariant& other : others) {
            const auto tried = other.tries.find(key);
            if (tried != other.tries.end() && is_same(other.network.step_of(key))) {
                return fmt::format("the same as {}", name_of(tried->second));
            }
        }
        return {};
    }

    // Judged by the first iteration, which touches the memory.
    void drop_hopeless(TuningVariant& variant) {
        std::vector<Seconds> times(variant.network.executable().steps().size());
        variant.first_whole = variant.network.executable().run_timed(times);
        variant.first = single_samples(times);
        const auto factor = [&](const ProblemPass& key) {
            return variant.network.cost_of(key, variant.first).front() /
                   usual_.cost_of(key, usual_times_).front();
        };
        const bool is_hopeless = std::ranges::all_of(
            variant.tries, [&](const auto& one) { return factor(one.first) > hopeless_at_first; });
        if (is_hopeless) {
            for (const auto& [key, algorithm] : variant.tries) {
                refuse(variant, key, algorithm,
                       fmt::format("{:.1f} times as long as {} at first", factor(key),
                                   usual_name(algorithm)));
            }
            variant.tries.clear();
        }
    }

    void refuse(const TuningVariant& variant, const ProblemPass& key,
                const PassAlgorithm& algorithm, std::string reason) {
        add_trials({{.problem = key.problem,
                     .pass = key.pass,
                     .algorithm = algorithm,
                     .implementation = variant.network.step_of(key)->implementation,
                     .reason = std::move(reason)}});
    }

    // They get their share of the time, but as much as a decision needs if available: a few decided
    // ones are worth more than many undecided ones.
    void measure(std::vector<TuningVariant> variants, double waiting) {
        drop_late(variants);
        if (variants.empty()) {
            return;
        }
        const auto count = static_cast<double>(variants.size());
        const Seconds left = std::max(time_left(), Seconds{});
        const Seconds share = left * (count / (count + waiting));
        const Seconds end =
            task_.clock.now() + std::max(share, costs_.turns(variants.size(), rounds_to_decide));
        TuningRace(task_, usual_, usual_times_, [this](std::vector<TuningTrial> trials) {
            add_trials(std::move(trials));
        }).run(std::move(variants), [&](Seconds usual) {
            costs_.step = std::max(costs_.step, usual);  // on a busy machine, the first was luck
            return std::min(time_left(), end - task_.clock.now());
        });
    }

    // Candidates too slow for the remaining time stay untried, except the first.
    void drop_late(std::vector<TuningVariant>& variants) const {
        Seconds round = costs_.step;
        for (const TuningVariant& variant : variants) {
            round += variant.first_whole;
        }
        while (variants.size() > (must_try_ ? 1U : 0U) &&
               rounds_that_fit(round, time_left(), rounds_of_a_ratio) < rounds_of_a_ratio) {
            round -= variants.back().first_whole;
            variants.pop_back();
        }
    }

    void add_trials(std::vector<TuningTrial> trials) {
        if (task_.hooks.tried && !trials.empty()) {
            task_.hooks.tried(trials);
        }
        std::ranges::move(trials, std::back_inserter(trials_));
    }

    const TuningTask& task_;
    TuningNetwork& usual_;
    std::vector<TuningTrial>& trials_;
    TuningCosts& costs_;
    bool must_try_;  // however long it takes, because there is nothing to choose from
    std::vector<Samples> usual_times_;  // of the usual network's steps, one each
};

}  // namespace

void TuningTask::tell(const std::string& what) const {
    if (hooks.progress) {
        hooks.progress(what, std::clamp((clock.now() - begin) / limits.time, 0.0, 1.0));
    }
}

std::size_t try_candidates(const TuningTask& task, TuningNetwork& usual,
                           std::vector<TuningTrial>& trials, TuningCosts& costs) {
    return Trials(task, usual, trials, costs).try_all();
}

}  // namespace strata
