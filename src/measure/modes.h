// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <span>

namespace strata {

// Whether samples come in two kinds, and where these lie.
struct Modes {
    double dip = 0;            // distance from the nearest one-humped distribution, in [0, 1/4]
    bool significant = false;  // a one-humped distribution gives so much in less than 1 % of cases
    Seconds lower;             // medians of the two groups that fit the samples best
    Seconds upper;
    double upper_share = 0;  // of the samples
};

// Hartigan's dip test (J. A. and P. M. Hartigan 1985), with critical values simulated for the
// uniform distribution, the one-humped one that dips most, and for as many independent samples as
// these are worth (effective_samples): a slow wander looks two-humped by chance. The groups are the
// split of the ordered samples with the least sum of distances from the two medians. Without modes
// for fewer than 20 samples.
Modes modes_of(std::span<const Seconds> values);

// The dip statistic alone. Requires: values not empty.
double dip_of(std::span<const Seconds> values);

}  // namespace strata
