// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/plan.h"
#include "measure/clock.h"
#include "record/tuning.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// The rounding error beyond which an algorithm is not chosen by default, however fast it is: the
// relative L2 distance of its results from sums in double precision. Direct convolution in f32
// stays below 1e-6, F(4x4, 3x3) near it, F(6x6, 3x3) is several times worse (Lavin and Gray 2016;
// Barabasz et al. 2020).
inline constexpr double max_tuned_relative_l2 = 1e-5;

// How long and how carefully to tune.
struct TuningLimits {
    // Total time; anything that would not end by then is done when the same tuning continues. Each
    // tuning does at least one thing however long it takes: it tries a candidate or, if some
    // already gain, measures them together.
    Seconds time{60};
    std::size_t rounds = 10;  // of candidates that remain to the end, and of all choices together
    double max_relative_l2 = max_tuned_relative_l2;
};

// Callbacks of a tuning. Each may be empty.
struct TuningHooks {
    // The trials of a pass from an earlier tuning, interrupted or of another network. A trial that
    // ran out of rounds while its candidate might still win counts as untried.
    std::function<std::vector<TuningTrial>(const ProblemPass& key)> known = {};
    std::function<void(std::span<const TuningTrial> trials)> tried = {};
    std::function<void(const std::string& what, double fraction)> progress = {};
    std::function<bool()> stop = {};  // checked between iterations
};

// Whether a step with all choices made may replace the usual one, by their ratio: it is faster in
// the median, and the upper end of the 95 % interval stays within the margin that comparisons treat
// as equal (2 %).
bool may_replace(const Ratio& whole);

// Finds the fastest algorithm of every pass of every distinct convolution and linear layer in the
// running network.
//
// The network is prepared once for each algorithm, which every layer uses if it can, and alternates
// with the usual one; the cost of a pass is its own step plus the reorders and sums that it needs.
// A candidate leaves a pass after one round if it takes 1.5 times as long as the usual algorithm
// there, after three if its median is 15 % behind the best, after six if it is 5 % behind; a
// network whose candidates all left is no longer measured. A candidate wins if it is certainly
// faster than the usual algorithm (95 %) and its rounding error is within the limit, largest gain
// first. Then the network is prepared with all winners: those that gain nothing there, because a
// neighbour's layout changed, are dropped, and all of them unless the whole step may replace the
// usual one; while that is open and time is left, up to three times as many rounds are taken. The
// cost of a part is estimated from earlier ones (TuningCosts), and parts that would end after the
// limit are left out: first candidates, then the errors of those that gain least. As many networks
// are in memory at once as fit in half of the free memory. Requires: the execution requests no
// algorithm.
TuningOutcome tune(const Plan& plan, const Execution& execution, Backend& backend,
                   const TuningLimits& limits, Clock& clock, const TuningHooks& hooks = {});

// Choices that make an execution run as tuned, with usual algorithms for untuned passes.
std::vector<AlgorithmChoice> choices_of(std::span<const TunedPass> passes);

}  // namespace strata
