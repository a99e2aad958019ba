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

// The whole network with the candidates of one group wherever they apply.
struct TuningVariant {
    TuningNetwork network;
    std::map<ProblemPass, PassAlgorithm> tries = {};  // for which it is a candidate
    std::vector<Samples> first = {};                  // of the steps of its first iteration
    Seconds first_whole = {};                         // all steps of it
};

inline constexpr std::size_t rounds_of_a_ratio = 2;

// The name of the algorithm that a candidate is compared with: "auto", "usual".
std::string_view usual_name(const PassAlgorithm& candidate);

// Variants that alternate with the usual network until only possible winners remain, and these
// until all rounds are done. A candidate leaves a pass
//   after one round if the quicker of its two iterations takes 1.5 times as long as the slower of
//     two of the usual network;
//   after three if its median is 15 % behind the best there, after six if it is 5 % behind.
// A variant whose candidates all left is no longer run.
class TuningRace {
public:
    using Report = std::function<void(std::vector<TuningTrial> trials)>;
    // The time limit, queried before each round with the times of the usual network's iterations so
    // far.
    using TimeLeft = std::function<Seconds(Seconds usual)>;

    // `usual_times`: of the steps of an iteration of the usual network. Every candidate is reported
    // when it leaves, or at the end.
    TuningRace(const TuningTask& task, TuningNetwork& usual,
               const std::vector<Samples>& usual_times, Report report)
        : task_(task), usual_(usual), usual_times_(usual_times), report_(std::move(report)) {}

    // A round that would exceed the remaining time is not begun, except for the two that a ratio
    // needs. If stopped, remaining candidates are not reported.
    void run(std::vector<TuningVariant> variants, const TimeLeft& left);

private:
    void run_rounds(std::size_t rounds, const TimeLeft& left);
    std::vector<Seconds> cost_in(std::size_t which, const ProblemPass& key) const;
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
    Contest contest_;  // the usual network comes first
};

}  // namespace strata
