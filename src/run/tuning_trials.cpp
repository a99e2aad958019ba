// SPDX-License-Identifier: MIT
#include "run/tuning_trials.h"

#include "analyze/algorithm_ranks.h"
#include "base/enumeration.h"
#include "graph/memory.h"
#include "measure/memory_use.h"
#include "measure/statistics.h"
#include "run/algorithm_candidates.h"
#include "run/algorithm_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace strata {

namespace {

// The share of the time after which no further candidate is begun: the rest is for the network with
// all choices made.
constexpr double share_of_trials = 0.7;
// A candidate that takes longer than the best by this in all its passes is hopeless, and one that
// its first iteration, which also touches its memory, shows to be so beyond doubt.
constexpr double hopeless = 1.15;
constexpr double hopeless_at_first = 3;

// Algorithms of which a convolution can run by one at most, by its window: one network tries all.
using Group = std::vector<ConvolutionAlgorithm>;

std::vector<Group> candidate_groups() {
    using enum ConvolutionAlgorithm;
    std::vector<Group> groups = {{winograd_2x2_3x3, winograd_2x2_5x5},
                                 {winograd_4x4_3x3, winograd_4x4_5x5}};
    for (const ConvolutionAlgorithm algorithm : candidate_algorithms()) {
        const bool is_grouped = std::ranges::any_of(groups, [&](const Group& group) {
            return std::ranges::find(group, algorithm) != group.end();
        });
        if (algorithm != direct && !is_grouped) {
            groups.push_back({algorithm});
        }
    }
    return groups;
}

// That of the group which is made for the layer's window; the first where none is.
ConvolutionAlgorithm algorithm_for(const Group& group, const Layer& layer) {
    const auto* op = std::get_if<Convolution>(&layer.op);
    const std::string window = op == nullptr ? "" : fmt::format("-{}", fmt::join(op->kernel, "x"));
    const auto found = std::ranges::find_if(
        group, [&](ConvolutionAlgorithm one) { return name_of(one).ends_with(window); });
    return found == group.end() ? group.front() : *found;
}

// The whole network by the algorithms of one group, wherever it can.
struct Variant {
    TuningNetwork network;
    std::map<ProblemPass, ConvolutionAlgorithm> tries = {};  // that it is a candidate for
};

class Trials {
public:
    Trials(const TuningTask& task, TuningNetwork& usual, std::vector<TuningTrial>& trials)
        : task_(task), usual_(usual), trials_(trials) {
        const Seconds begin = task.clock.now();
        usual_.executable().run();
        const std::size_t steps = usual_.executable().steps().size();
        std::vector<Seconds> times(steps);
        step_ = usual_.executable().run_timed(times);
        usual_times_ = single_samples(times);
        preparation_ = task.clock.now() - begin;  // about as long as the first iteration
    }

    std::size_t try_all() {
        std::vector<Group> waiting = untried();
        bool is_first = true;
        while (!waiting.empty() && !task_.is_stopped() &&
               (is_first || task_.left(share_of_trials).value > 0)) {
            try_together(waiting);
            is_first = false;
        }
        std::size_t untried = 0;
        for (const Group& group : waiting) {
            untried += group.size();
        }
        return untried;
    }

private:
    static std::vector<Samples> single_samples(const std::vector<Seconds>& times) {
        std::vector<Samples> samples;
        for (const Seconds time : times) {
            samples.push_back({{time}});
        }
        return samples;
    }

    bool is_known(const ProblemPass& key, ConvolutionAlgorithm algorithm) const {
        return std::ranges::any_of(trials_, [&](const TuningTrial& trial) {
            return trial.problem == key.problem && trial.pass == key.pass &&
                   trial.algorithm == algorithm;
        });
    }

    std::vector<Group> untried() const {
        std::vector<Group> waiting = candidate_groups();
        std::erase_if(waiting, [&](const Group& group) {
            return std::ranges::all_of(usual_.passes(), [&](const TunablePass& pass) {
                return std::ranges::all_of(
                    group, [&](ConvolutionAlgorithm one) { return is_known(pass.key, one); });
            });
        });
        return waiting;
    }

    // As many of those waiting as memory and time hold, which are then no longer waiting.
    void try_together(std::vector<Group>& waiting) {
        std::vector<Variant> variants;
        const auto has_place = [&] {
            return variants.empty() || (has_room() && has_time_for(variants.size() + 1));
        };
        while (!waiting.empty() && !task_.is_stopped() && has_place()) {
            task_.tell(fmt::format("preparing {}", name_of(waiting.front().front())));
            add_variant(waiting.front(), variants);
            waiting.erase(waiting.begin());
        }
        if (!variants.empty()) {
            measure(variants, static_cast<double>(waiting.size()));
        }
    }

    // (What an algorithm needs beyond the network's tensors is not known before: one more is left.)
    bool has_room() const {
        const auto available = available_memory();
        return !available || *available >= 3 * footprint_of(task_.graph, task_.execution).peak;
    }

    // Whether so many networks can be screened beside the usual one, the last of them still to be
    // prepared.
    bool has_time_for(std::size_t count) const {
        const Seconds screening = step_ * (2 * static_cast<double>(count + 1));
        return task_.left(share_of_trials) > preparation_ + step_ + screening;
    }

    Execution execution_by(const Group& group) const {
        Execution execution = task_.execution;
        for (const TunablePass& pass : usual_.passes()) {
            execution.engine.choices.push_back(
                {.problem = pass.key.problem,
                 .pass = pass.key.pass,
                 .algorithm = algorithm_for(group, task_.graph.layers[pass.layer]),
                 .source = ChoiceSource::heuristic});
        }
        return execution;
    }

    void add_variant(const Group& group, std::vector<Variant>& variants) {
        Variant variant{{task_.graph, execution_by(group), task_.backend}};
        for (const TunablePass& pass : usual_.passes()) {
            for (const ConvolutionAlgorithm algorithm : group) {
                if (!is_known(pass.key, algorithm)) {
                    add_try(pass, algorithm, group, variants, variant);
                }
            }
        }
        if (!variant.tries.empty()) {
            drop_hopeless(variant);
        }
        if (!variant.tries.empty()) {
            variants.push_back(std::move(variant));
        }
    }

    void add_try(const TunablePass& pass, ConvolutionAlgorithm algorithm, const Group& group,
                 const std::vector<Variant>& others, Variant& variant) {
        const bool is_for_it = algorithm_for(group, task_.graph.layers[pass.layer]) == algorithm;
        std::string reason = is_for_it ? reason_against_try(pass.key, algorithm, others, variant)
                                       : std::string("another window");
        if (reason.empty()) {
            variant.tries.emplace(pass.key, algorithm);
        } else {
            add_trials({{.problem = pass.key.problem,
                         .pass = pass.key.pass,
                         .algorithm = algorithm,
                         .reason = std::move(reason)}});
        }
    }

    // Also where it would do what another one does already.
    std::string reason_against_try(const ProblemPass& key, ConvolutionAlgorithm algorithm,
                                   const std::vector<Variant>& others,
                                   const Variant& variant) const {
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
            return "the same as direct";
        }
        for (const Variant& other : others) {
            const auto tried = other.tries.find(key);
            if (tried != other.tries.end() && is_same(other.network.step_of(key))) {
                return fmt::format("the same as {}", name_of(tried->second));
            }
        }
        return {};
    }

    // By the first iteration, which touches the memory.
    void drop_hopeless(Variant& variant) {
        std::vector<Seconds> times(variant.network.executable().steps().size());
        variant.network.executable().run_timed(times);
        const std::vector<Samples> samples = single_samples(times);
        const auto factor = [&](const ProblemPass& key) {
            return variant.network.cost_of(key, samples).front() /
                   usual_.cost_of(key, usual_times_).front();
        };
        const bool is_hopeless = std::ranges::all_of(
            variant.tries, [&](const auto& one) { return factor(one.first) > hopeless_at_first; });
        if (!is_hopeless) {
            return;
        }
        std::vector<TuningTrial> refused;
        for (const auto& [key, algorithm] : variant.tries) {
            refused.push_back(
                {.problem = key.problem,
                 .pass = key.pass,
                 .algorithm = algorithm,
                 .implementation = variant.network.step_of(key)->implementation,
                 .reason = fmt::format("{:.1f} times as long as direct at first", factor(key))});
        }
        add_trials(std::move(refused));
        variant.tries.clear();
    }

    // In rounds with the usual network: all of them at first, then those that may win.
    void measure(std::vector<Variant>& variants, double waiting) {
        const double part =
            static_cast<double>(variants.size()) / (static_cast<double>(variants.size()) + waiting);
        const Seconds time = std::max(task_.left(share_of_trials), Seconds{}) * part;
        task_.tell("measuring all candidates");
        const TurnTimes screened = turns(variants, task_.limits.screening_rounds, time * 0.5);
        std::vector<Variant> promising;
        for (std::size_t i = 0; i < variants.size(); ++i) {
            if (may_win(i, variants, screened)) {
                promising.push_back(std::move(variants[i]));
            } else {
                add_trials(trials_of(variants[i], i + 1, screened));
            }
        }
        variants.clear();
        if (promising.empty() || task_.is_stopped()) {
            return;
        }
        task_.tell(fmt::format("measuring {} candidates", promising.size()));
        const TurnTimes times = turns(promising, task_.limits.rounds, time * 0.5);
        for (std::size_t i = 0; i < promising.size(); ++i) {
            add_trials(trials_of(promising[i], i + 1, times));
        }
    }

    // The usual network is the first.
    TurnTimes turns(std::vector<Variant>& variants, std::size_t rounds, Seconds time) {
        std::vector<Executable*> executables = {&usual_.executable()};
        for (Variant& variant : variants) {
            executables.push_back(&variant.network.executable());
        }
        return time_in_turn(executables, {.max_rounds = rounds, .max_time = time}, task_.clock,
                            task_.hooks.stop);
    }

    bool may_win(std::size_t which, const std::vector<Variant>& variants,
                 const TurnTimes& times) const {
        return std::ranges::any_of(variants[which].tries, [&](const auto& one) {
            const ProblemPass& key = one.first;
            Seconds best = median_of(usual_.cost_of(key, times.steps[0]));
            for (std::size_t i = 0; i < variants.size(); ++i) {
                if (variants[i].tries.contains(key)) {
                    best = std::min(
                        best, median_of(variants[i].network.cost_of(key, times.steps[i + 1])));
                }
            }
            const Seconds own =
                median_of(variants[which].network.cost_of(key, times.steps[which + 1]));
            return own <= best * hopeless;
        });
    }

    std::vector<TuningTrial> trials_of(const Variant& variant, std::size_t place,
                                       const TurnTimes& times) const {
        std::vector<TuningTrial> trials;
        if (times.rounds < 2) {
            return trials;  // stopped: the same tuning tries it again
        }
        for (const auto& [key, algorithm] : variant.tries) {
            const auto usual = usual_.cost_of(key, times.steps[0]);
            const auto own = variant.network.cost_of(key, times.steps[place]);
            trials.push_back({.problem = key.problem,
                              .pass = key.pass,
                              .algorithm = algorithm,
                              .implementation = variant.network.step_of(key)->implementation,
                              .ratio = ratio_of_rounds(usual, own),
                              .usual = median_of(usual),
                              .own = median_of(own),
                              .rounds = times.rounds});
        }
        return trials;
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
    std::vector<Samples> usual_times_;  // of the usual network's steps, one each
    Seconds step_;                      // of the usual network
    Seconds preparation_;               // of a network
};

}  // namespace

void TuningTask::tell(const std::string& what) const {
    if (hooks.progress) {
        hooks.progress(what, std::clamp((clock.now() - begin) / limits.time, 0.0, 1.0));
    }
}

std::size_t try_candidates(const TuningTask& task, TuningNetwork& usual,
                           std::vector<TuningTrial>& trials) {
    return Trials(task, usual, trials).try_all();
}

}  // namespace strata
