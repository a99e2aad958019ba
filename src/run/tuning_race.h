// SPDX-License-Identifier: MIT
#pragma once

#include "run/algorithm_candidates.h"
#include "run/tuning_trials.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The whole network by the candidates of one group, wherever it can.
struct TuningVariant {
    TuningNetwork network;
    std::map<ProblemPass, PassAlgorithm> tries = {};  // that it is a candidate for
    std::vector<Samples> first = {};                  // of the steps of its first iteration
    Seconds first_whole = {};                         // all steps of it
};

inline constexpr std::size_t rounds_of_a_ratio = 2;

// What a candidate is compared with: "direct", "usual".
std::string_view usual_name(const PassAlgorithm& candidate);

// Variants that take turns with the usual network, until only those remain that may win a pass, and
// these until they took all rounds. A candidate leaves a pass
//   after one round if the quicker of its two iterations takes 1.5 times as long as the slower of
//     two of the usual network;
//   after three if its median is 15 % behind the best there, after six if it is 5 % behind.
// A variant whose candidates all left takes no more turns.
class TuningRace {
public:
    using Report = std::function<void(std::vector<TuningTrial> trials)>;
    // How long it may go on, asked before each round with what an iteration of the usual network
    // took in the rounds so far.
    using TimeLeft = std::function<Seconds(Seconds usual)>;

    // `usual_times`: of the steps of an iteration of the usual network. Every candidate is reported
    // when it leaves, or at the end.
    TuningRace(const TuningTask& task, TuningNetwork& usual,
               const std::vector<Samples>& usual_times, Report report)
        : task_(task), usual_(usual), usual_times_(usual_times), report_(std::move(report)) {}

    // A round that would take longer than what is left is not begun, except for the two that a
    // ratio needs. If it is stopped, what has not left is not reported.
    void run(std::vector<TuningVariant> variants, const TimeLeft& left);

private:
    void take_turns(std::size_t rounds, const TimeLeft& left);
    bool has_time(const TimeLeft& left) const;
    void drop_after_one_round();
    void drop_slow(double within);
    void drop_done();
    bool is_hopeless(std::size_t which, const ProblemPass& key, const PassAlgorithm& algorithm);
    Seconds best_of(const ProblemPass& key) const;
    std::vector<TuningTrial> trials_of(std::size_t which) const;

    const TuningTask& task_;
    TuningNetwork& usual_;
    const std::vector<Samples>& usual_times_;
    Report report_;
    std::vector<TuningVariant> variants_;
    TurnTimes times_;  // the usual network is the first
};

}  // namespace strata
