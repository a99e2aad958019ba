// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <span>

namespace strata {

// Statistics of samples in the order they were taken. All use only signs and ranks, so a few
// outliers, which every timed series has, change nothing.

// The number of independent samples that would give the median with the same precision: n / tau,
// where tau = 1 + 2 (sum of the autocorrelations of the signs of x - median), summed over pairs of
// lags while a pair is positive (Geyer 1992's initial positive sequence). n itself if the
// correlation of neighbours is not significant (1 % one-sided) or there are fewer than 16 values.
double effective_samples(std::span<const Seconds> values);

// A straight line through a series, and whether it rises.
struct Trend {
    double change = 0;      // from first to last sample, over the median (Theil-Sen slope)
    double deviations = 0;  // Mann-Kendall's statistic over its deviation: beyond 2.58 in 1 % of
                            // series without a trend
};

// Series longer than 400 values are first reduced to medians of equal blocks. The deviation is
// widened for the dependence that remains after the line is removed (Hamed and Rao 1998). No trend
// (0, 0) for fewer than 10 values.
Trend trend_of(std::span<const Seconds> values);

}  // namespace strata
