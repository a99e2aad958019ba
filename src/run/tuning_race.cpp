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
    std::vector<Executable*> executables = {&usual_.executable()};
    for (TuningVariant& variant : variants_) {
        executables.push_back(&variant.network.executable());
    }
    contest_ = contest_of(executables, task_.hooks.stop);
    run_rounds(1, left);
    if (task_.is_stopped()) {
        return;
    }
    drop_after_one_round();
    for (const Stage& stage : stages) {
        run_rounds(stage.rounds, left);
        if (task_.is_stopped()) {
            return;
        }
        drop_slow(stage.within);
    }
    run_rounds(task_.limits.rounds, left);
    for (std::size_t i = 0; i < variants_.size() && !task_.is_stopped(); ++i) {
        report_(trials_of(i));
    }
}

// Runs rounds up to this number, or until another would end too late.
void TuningRace::run_rounds(std::size_t rounds, const TimeLeft& left) {
    while (!variants_.empty() && contest_.rounds() < rounds && has_time(left) &&
           !task_.is_stopped()) {
        task_.tell(fmt::format("measuring {} network{} of candidates", variants_.size(),
                               variants_.size() == 1 ? "" : "s"));
        contest_.run_round();
    }
}

// The time of a round of the remaining ones, by the latest round.
bool TuningRace::has_time(const TimeLeft& left) const {
    return contest_.rounds() < rounds_of_a_ratio ||
           rounds_that_fit(contest_.last_round(), left(median_of(contest_.whole(0))), 1) > 0;
}

// A variant's cost of a pass in each round.
std::vector<Seconds> TuningRace::cost_in(std::size_t which, const ProblemPass& key) const {
    return variants_[which].network.cost_of(key, contest_.parts(which + 1));
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
    const Seconds own =
        std::min(variant.network.cost_of(key, variant.first).front(), cost_in(which, key).front());
    const Seconds usual = std::max(usual_.cost_of(key, usual_times_).front(),
                                   usual_.cost_of(key, contest_.parts(0)).front());
    if (own <= usual * hopeless_in_one_round) {
        return false;
    }
    report_({{.problem = key.problem,
              .pass = key.pass,
              .algorithm = algorithm,
              .implementation = variant.network.step_of(key)->implementation,
              .rounds = contest_.rounds(),
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
            contest_.remove(i + 1);
        }
    }
}

Seconds TuningRace::best_of(const ProblemPass& key) const {
    Seconds best = median_of(usual_.cost_of(key, contest_.parts(0)));
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        if (variants_[i].tries.contains(key)) {
            best = std::min(best, median_of(cost_in(i, key)));
        }
    }
    return best;
}

std::vector<TuningTrial> TuningRace::trials_of(std::size_t which) const {
    std::vector<TuningTrial> trials;
    const TuningVariant& variant = variants_[which];
    for (const auto& [key, algorithm] : variant.tries) {
        const auto usual = usual_.cost_of(key, contest_.parts(0));
        const auto own = cost_in(which, key);
        trials.push_back({.problem = key.problem,
                          .pass = key.pass,
                          .algorithm = algorithm,
                          .implementation = variant.network.step_of(key)->implementation,
                          .ratio = ratio_of_rounds(usual, own),
                          .usual = median_of(usual),
                          .own = median_of(own),
                          .rounds = contest_.rounds()});
    }
    return trials;
}

}  // namespace strata
