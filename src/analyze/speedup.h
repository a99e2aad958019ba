// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/observed.h"
#include "analyze/regression.h"

#include <span>
#include <string>
#include <vector>

namespace strata {

// A network with one batch on two platforms.
struct SpeedupPair {
    const Observation* run = nullptr;       // on the platform under test
    const Observation* baseline = nullptr;  // on the baseline
    double speedup = 1;                     // throughput over the baseline's
};

// Runs of the same network, batch and mode on two platforms; of several such runs of one platform,
// the last. Requires: both outlive the result.
std::vector<SpeedupPair> pairs_of(std::span<const Observation* const> runs,
                                  std::span<const Observation* const> baseline);

// Which platform wins, by how much, and where.
struct SpeedupSummary {
    double smallest = 0;
    double median = 0;
    double largest = 0;
    double geometric_mean = 0;
    std::size_t wins = 0;  // pairs with a speed-up above 1
};
SpeedupSummary summary_of(std::span<const SpeedupPair> pairs);  // Requires: not empty

// The single split of one hyperparameter that best predicts the winner: the numbers of wins among
// pairs with a value of at least `threshold` and among the others. A decision stump by Gini
// impurity (Breiman et al., "Classification and regression trees", 1984).
struct WinnerSplit {
    std::string parameter;
    double threshold = 0;
    std::size_t above = 0, above_wins = 0;
    std::size_t below = 0, below_wins = 0;

    double impurity() const;  // of both sides, 0 to 0.5
};
// Nothing if all pairs have one winner or no hyperparameter differs.
std::optional<WinnerSplit> winner_split(std::span<const SpeedupPair> pairs,
                                        std::span<const std::string> parameters);

// The speed-ups and the hyperparameters, for a regression.
RegressionData regression_data(std::span<const SpeedupPair> pairs,
                               std::span<const std::string> parameters);

// The same for runs that have the metric and the hyperparameters; the others are left out.
RegressionData regression_data(const Observations& all, std::span<const Observation* const> runs,
                               ObservedMetric metric, std::span<const std::string> parameters);

}  // namespace strata
