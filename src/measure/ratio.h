// SPDX-License-Identifier: MIT
#pragma once

#include "measure/statistics.h"

#include <limits>
#include <span>
#include <vector>

namespace strata {

// All samples of one quantity by the process that took them, each in the order they were taken.
// Processes differ more than samples of one process do: addresses, pages and the machine's state
// are drawn anew for each.
struct Launches {
    std::vector<std::vector<Seconds>> samples = {};
    bool is_exact = false;  // a model's answer, which has no spread
};

// From so many processes on the interval between them holds, however few samples each of them has.
inline constexpr std::size_t min_launches_for_interval = 3;

// Whether every sample is longer than 0, as a ratio needs.
bool is_positive(const Launches& launches);

// A ratio with its interval, of 95 % unless `confidence` says otherwise.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
    // Of Student's distribution that the interval comes from: few launches have long tails.
    double degrees_of_freedom = std::numeric_limits<double>::infinity();
    double confidence = 0.95;  // how often the interval holds the true ratio

    // False of two models' answers, neither of which has a spread.
    bool has_interval() const { return low < high; }
};

// The median of the launches' medians with its interval. Requires: each launch has a sample.
Estimate estimate(const Launches& launches);

// `after` over `before`, of the medians of the launches' medians. The interval comes from a
// bootstrap. Of three launches or more, launches are resampled and keep their medians: how they
// differ holds how much each of them is off, and drawing that again would count it twice (Ren et
// al. 2010). Of fewer, the medians are drawn too: the median of n samples has the rank of a Beta((n
// + 1) / 2, (n + 1) / 2) variable (David and Nagaraja, Order Statistics, 2003), and n is the
// effective number of samples (measure/series.h), so that dependent samples widen the interval.
// Resampling L launches spreads too little by sqrt((L - 1) / L), and few launches need Student's
// quantile; both are corrected for. With one launch on each side the interval is that within the
// two processes. Requires: as `estimate`; positive times. The same samples give the same interval
// everywhere.
Ratio ratio_of_medians(const Launches& before, const Launches& after);

// `after` over `before` where the n-th launches of both ran beside each other, or are parts of one
// process: what both of a pair suffer, such as a machine that slows down, cancels. It is the centre
// of the pairs' ratios of medians, on a logarithmic scale: of seven pairs or more Tukey's biweight,
// to which a pair that is far from the others, by their median absolute deviation, counts nothing;
// of fewer the Hodges-Lehmann estimate, the median of the means of any two (1963). A third of the
// pairs may be disturbed, and where none is, few more are needed than for a mean. The interval is
// that of the same two-level bootstrap, which resamples pairs. Requires: as many launches on both
// sides, two or more, and as ratio_of_medians.
Ratio ratio_of_pairs(const Launches& before, const Launches& after);

// The interval with this share more on either side, for an error that the samples do not show; at
// most a factor of a thousand.
Ratio widened(const Ratio& ratio, double share);

// The interval with a further error of the ratio that the samples do not show: a normal one with
// this standard deviation of its logarithm. Variances add, and degrees of freedom as Welch (1947)
// and Satterthwaite (1946) say. An exact ratio stays exact where the deviation is 0.
Ratio with_deviation(const Ratio& ratio, double deviation);

// The interval that holds the true ratio so often, by the same Student's distribution: one of 99 %
// includes 1 if and only if chance_of is above 1 %. Requires: a 95 % interval.
Ratio at_confidence(const Ratio& ratio, double confidence);

// The probability that equal times would give a ratio as far from 1 as this: two-sided, its
// logarithm being of Student's distribution with this interval. 0 or 1 for an interval without
// width. Requires: a 95 % interval.
double chance_of(const Ratio& ratio);

// Which of several hypotheses can be rejected if at most this share of the rejections may be wrong
// (Benjamini and Hochberg 1995). `chances` are probabilities as chance_of gives them.
std::vector<bool> discoveries(std::span<const double> chances, double false_share);

}  // namespace strata
