// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "measure/clock.h"
#include "record/tuning.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// From which rounding error on an algorithm is no choice by default, however fast it is: the
// relative L2 distance of its results from sums in double precision. Direct convolution in f32
// stays below 1e-6, F(4x4, 3x3) near it, F(6x6, 3x3) is several times worse (Lavin and Gray 2016;
// Barabasz et al. 2020).
inline constexpr double max_tuned_relative_l2 = 1e-5;

// How long and how carefully to tune.
struct TuningLimits {
    // Of all; what would not end by then is done when the same tuning goes on. Each does one thing
    // however long it takes: it tries a candidate, or where some gain already, measures them
    // together.
    Seconds time{60};
    std::size_t rounds = 10;  // of candidates that remain to the end, and of all choices together
    double max_relative_l2 = max_tuned_relative_l2;
};

// Callbacks of a tuning. Each may be empty.
struct TuningHooks {
    // What an earlier tuning that was interrupted, or of another network, found of a pass. A trial
    // that ran out of rounds while its candidate might still win counts as untried.
    std::function<std::vector<TuningTrial>(const ProblemPass& key)> known = {};
    std::function<void(std::span<const TuningTrial> trials)> tried = {};
    std::function<void(const std::string& what, double fraction)> progress = {};
    std::function<bool()> stop = {};  // asked between iterations
};

// Whether a step with all choices made may replace the usual one, by their ratio: it is faster in
// the median, and the upper end of the 95 % interval stays within the margin up to which
// comparisons call a difference none (2 %).
bool may_replace(const Ratio& whole);

// Finds the fastest algorithm of every pass of every different convolution and linear layer in the
// running network.
//
// The network is prepared once for each algorithm, of which every layer that can runs by it, and
// takes turns with the usual one; a pass costs what its own step and the reorders and sums that it
// needs take. A candidate leaves a pass after one round if it takes 1.5 times as long as the usual
// algorithm there, after three if its median is 15 % behind the best, after six if it is 5 %
// behind; a network whose candidates all left is measured no longer. A candidate wins where it is
// surely faster than the usual algorithm (95 %) and rounds within the limit, the one with the
// largest gain first. Then the network is prepared with all winners: those that gain nothing there,
// because a neighbour has another layout now, are dropped, and all of them unless the whole step
// may replace the usual one; as long as that is open, and time is left, up to three times as many
// rounds are taken. What a part will cost is estimated by what earlier ones took (TuningCosts), and
// what would end after the limit is left out: first candidates, then the errors of those that gain
// least. As many networks are in memory at once as half of what is free holds. Requires:
// the execution asks for no algorithm.
TuningOutcome tune(const Graph& graph, const Execution& execution, Backend& backend,
                   const TuningLimits& limits, Clock& clock, const TuningHooks& hooks = {});

// Choices that make an execution run as tuned, a pass without a tuning as usual.
std::vector<AlgorithmChoice> choices_of(std::span<const TunedPass> passes);

}  // namespace strata
