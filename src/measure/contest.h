// SPDX-License-Identifier: MIT
#pragma once

#include "measure/measurement.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace strata {

// The order of a round's turns: reversed in every second round, so that a drift of the machine
// affects all candidates alike, or drawn anew for each, so that no periodic disturbance prefers
// one.
enum class TurnOrder { reversing, drawn };

// Candidates that are measured in turn: in each round every one that is left has a turn. The caller
// decides after a round whether the samples are enough (measure/stopping.h), and who leaves.
class Contest {
public:
    // Measures the candidate once; the times of its parts become one sample of each. Empty: it
    // keeps its own results.
    using Turn = std::function<std::vector<Seconds>()>;

    // `is_stopped` is checked before each turn and after the last; null: never.
    explicit Contest(TurnOrder order = TurnOrder::reversing, std::function<bool()> is_stopped = {})
        : order_(order), is_stopped_(std::move(is_stopped)) {}

    void add(Turn turn) { candidates_.push_back({std::move(turn), {}, {}}); }
    void remove(std::size_t candidate);
    std::size_t size() const { return candidates_.size(); }

    // Whether no stop was requested; a round that is stopped does not count.
    bool run_round();
    std::size_t rounds() const { return rounds_; }

    // One sample of each turn. Requires: it had one.
    const std::vector<Samples>& parts(std::size_t candidate) const;
    const std::vector<Seconds>& whole(std::size_t candidate) const;  // the sum of the parts
    Seconds last_round() const;  // the time of all candidates' latest turns

private:
    struct Candidate {
        Turn turn;
        std::vector<Samples> parts;
        std::vector<Seconds> whole;
    };

    std::vector<std::size_t> order_of_round() const;
    static void take_turn(Candidate& candidate);
    bool is_stopped() const { return is_stopped_ && is_stopped_(); }

    TurnOrder order_;
    std::function<bool()> is_stopped_;
    std::vector<Candidate> candidates_;
    std::size_t rounds_ = 0;
};

// How often something runs in a row to fill this time, judged by one run of it: at least once.
std::size_t runs_within(Seconds time, Seconds one, std::size_t most);

}  // namespace strata
