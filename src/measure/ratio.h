// SPDX-License-Identifier: MIT
#pragma once

#include "measure/statistics.h"

#include <limits>
#include <span>
#include <vector>

namespace strata {

// All samples of one quantity, grouped by process, in the order they were taken. Processes differ
// more than samples of one process, because addresses, pages and the machine's state vary between
// processes.
struct Launches {
    std::vector<std::vector<Seconds>> samples = {};
    bool is_exact = false;  // a modelled time, which has no spread
};

// From this number of processes on, the interval between them is valid, however few samples each
// has.
inline constexpr std::size_t min_launches_for_interval = 3;

// Whether every sample is above 0, as a ratio requires.
bool is_positive(const Launches& launches);

// A ratio with its interval, of 95 % unless `confidence` says otherwise.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
    // Degrees of freedom of the interval's Student distribution: few launches have long tails.
    double degrees_of_freedom = std::numeric_limits<double>::infinity();
    double confidence = 0.95;  // how often the interval contains the true ratio

    // False for two modelled times, neither of which has a spread.
    bool has_interval() const { return low < high; }
};

// The median of the launches' medians with its interval. Requires: each launch has a sample.
Estimate estimate(const Launches& launches);

// `after` over `before`, of the medians of the launches' medians. The interval comes from a
// bootstrap. With three launches or more, launches are resampled and keep their medians: their
// spread includes the error of each, and drawing that too would count it twice (Ren et al. 2010).
// With fewer, the medians are drawn too: the median of n samples has the rank of a Beta((n + 1) /
// 2, (n + 1) / 2) variable (David and Nagaraja, Order Statistics, 2003), and n is the effective
// number of samples (measure/series.h), so that dependent samples widen the interval. Resampling
// L launches spreads too little by sqrt((L - 1) / L), and few launches need Student's quantile;
// both are corrected for. With one launch on each side the interval is that within the two
// processes. Requires: as for `estimate`; positive times. The same samples give the same interval
// everywhere.
Ratio ratio_of_medians(const Launches& before, const Launches& after);

// `after` over `before` if the n-th launches of both ran next to each other, or are parts of one
// process: disturbances shared by a pair, such as a machine that slows down, cancel. It is the
// centre of the pairs' ratios of medians on a logarithmic scale: for seven pairs or more Tukey's
// biweight, which ignores a pair far from the others by their median absolute deviation; for fewer
// the Hodges-Lehmann estimate, the median of the pairwise means (1963). A third of the pairs may be
// disturbed; if none is, few more are needed than for a mean. The interval is from the same
// two-level bootstrap, which resamples pairs. Requires: equally many launches on both sides, two or
// more, and as for ratio_of_medians.
Ratio ratio_of_pairs(const Launches& before, const Launches& after);

// The interval widened by this share on either side, for an error that the samples do not show; at
// most by a factor of a thousand.
Ratio widened(const Ratio& ratio, double share);

// The interval with a further error of the ratio that the samples do not show: a normal one with
// this standard deviation of its logarithm. Variances add, and degrees of freedom follow Welch
// (1947) and Satterthwaite (1946). An exact ratio stays exact if the deviation is 0.
Ratio with_deviation(const Ratio& ratio, double deviation);

// The interval with this confidence, by the same Student distribution: the 99 % interval includes 1
// if and only if chance_of is above 1 %. Requires: a 95 % interval.
Ratio at_confidence(const Ratio& ratio, double confidence);

// The probability that equal times would give a ratio as far from 1 as this: two-sided, with a
// Student distribution of its logarithm that has this interval. 0 or 1 for an interval without
// width. Requires: a 95 % interval.
double chance_of(const Ratio& ratio);

// Which of several hypotheses can be rejected if at most this share of the rejections may be wrong
// (Benjamini and Hochberg 1995). `chances` are probabilities from chance_of.
std::vector<bool> discoveries(std::span<const double> chances, double false_share);

}  // namespace strata
