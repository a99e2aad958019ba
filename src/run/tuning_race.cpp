// SPDX-License-Identifier: MIT
#include "run/tuning_race.h"

#include "analyze/algorithm_ranks.h"
#include "measure/statistics.h"
#include "run/tuning_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace strata {

namespace {

constexpr double hopeless_in_one_round = 1.5;

// After this many rounds a candidate leaves if its median exceeds the best one's by this factor.
struct Stage {
    std::size_t rounds;
    double within;
};
constexpr std::array<Stage, 2> stages = {{{3, 1.15}, {6, 1.05}}};

}  // namespace

std::string_view usual_name(const PassAlgorithm& candidate) {
    return candidate.is_linear() ? name_of(LinearAlgorithm::usual)
                                 : name_of(ConvolutionAlgorithm::automatic);
}

void TuningRace::run(std::vector<TuningVariant> variants, const TimeLeft& left) {
    variants_ = std::move(variants);
    take_turns(1, left);
    if (task_.is_stopped()) {
        return;
    }
    drop_after_one_round();
    for (const Stage& stage : stages) {
        take_turns(stage.rounds, left);
        if (task_.is_stopped()) {
            return;
        }
        drop_slow(stage.within);
    }
    take_turns(task_.limits.rounds, left);
    for (std::size_t i = 0; i < variants_.size() && !task_.is_stopped(); ++i) {
        report_(trials_of(i));
    }
}

// Runs rounds up to this number, or until another would end too late.
void TuningRace::take_turns(std::size_t rounds, const TimeLeft& left) {
    std::vector<Executable*> executables = {&usual_.executable()};
    for (TuningVariant& variant : variants_) {
        executables.push_back(&variant.network.executable());
    }
    while (!variants_.empty() && times_.rounds < rounds && has_time(left) && !task_.is_stopped()) {
        task_.tell(fmt::format("measuring {} network{} of candidates", variants_.size(),
                               variants_.size() == 1 ? "" : "s"));
        append(times_, time_in_turn(executables, {.max_rounds = 1, .before = times_.rounds},
                                    task_.clock, task_.hooks.stop));
    }
}

// The time of a round of the remaining ones, by the latest round.
bool TuningRace::has_time(const TimeLeft& left) const {
    if (times_.rounds < rounds_of_a_ratio) {
        return true;
    }
    Seconds cost;
    for (const Samples& whole : times_.whole) {
        cost += whole.values.back();
    }
    return rounds_that_fit(cost, left(median_of(times_.whole[0].values)), 1) > 0;
}

void TuningRace::drop_after_one_round() {
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        std::erase_if(variants_[i].tries,
                      [&](const auto& one) { return is_hopeless(i, one.first, one.second); });
    }
    drop_done();
}

// Reports it on leaving.
bool TuningRace::is_hopeless(std::size_t which, const ProblemPass& key,
                             const PassAlgorithm& algorithm) {
    const TuningVariant& variant = variants_[which];
    const Seconds own = std::min(variant.network.cost_of(key, variant.first).front(),
                                 variant.network.cost_of(key, times_.steps[which + 1]).front());
    const Seconds usual = std::max(usual_.cost_of(key, usual_times_).front(),
                                   usual_.cost_of(key, times_.steps[0]).front());
    if (own <= usual * hopeless_in_one_round) {
        return false;
    }
    report_({{.problem = key.problem,
              .pass = key.pass,
              .algorithm = algorithm,
              .implementation = variant.network.step_of(key)->implementation,
              .rounds = times_.rounds,
              .reason = fmt::format("{:.1f} times as long as {} in one round", own / usual,
                                    usual_name(algorithm))}});
    return true;
}

void TuningRace::drop_slow(double within) {
    std::vector<TuningTrial> slow;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        for (TuningTrial& trial : trials_of(i)) {
            if (trial.own > best_of({trial.problem, trial.pass}) * within) {
                slow.push_back(std::move(trial));
            }
        }
    }
    for (const TuningTrial& trial : slow) {
        for (TuningVariant& variant : variants_) {
            std::erase_if(variant.tries, [&](const auto& one) {
                const auto& [key, algorithm] = one;
                return key == ProblemPass{trial.problem, trial.pass} &&
                       algorithm == trial.algorithm;
            });
        }
    }
    report_(std::move(slow));
    drop_done();
}

void TuningRace::drop_done() {
    for (std::size_t i = variants_.size(); i-- > 0;) {
        if (variants_[i].tries.empty()) {
            variants_.erase(variants_.begin() + static_cast<std::ptrdiff_t>(i));
            remove(times_, i + 1);
        }
    }
}

Seconds TuningRace::best_of(const ProblemPass& key) const {
    Seconds best = median_of(usual_.cost_of(key, times_.steps[0]));
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        if (variants_[i].tries.contains(key)) {
            best =
                std::min(best, median_of(variants_[i].network.cost_of(key, times_.steps[i + 1])));
        }
    }
    return best;
}

std::vector<TuningTrial> TuningRace::trials_of(std::size_t which) const {
    std::vector<TuningTrial> trials;
    const TuningVariant& variant = variants_[which];
    for (const auto& [key, algorithm] : variant.tries) {
        const auto usual = usual_.cost_of(key, times_.steps[0]);
        const auto own = variant.network.cost_of(key, times_.steps[which + 1]);
        trials.push_back({.problem = key.problem,
                          .pass = key.pass,
                          .algorithm = algorithm,
                          .implementation = variant.network.step_of(key)->implementation,
                          .ratio = ratio_of_rounds(usual, own),
                          .usual = median_of(usual),
                          .own = median_of(own),
                          .rounds = times_.rounds});
    }
    return trials;
}

}  // namespace strata
