// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <span>

namespace strata {

// Whether samples have two modes, and where these are.
struct Modes {
    double dip = 0;            // distance from the nearest one-humped distribution, in [0, 1/4]
    bool significant = false;  // a unimodal distribution dips this far in under 1 % of cases
    Seconds lower;             // medians of the two groups that fit the samples best
    Seconds upper;
    double upper_share = 0;  // of the samples
};

// Hartigan's dip test (J. A. and P. M. Hartigan 1985). Critical values were simulated for the
// uniform distribution, the unimodal one with the largest dip, and for the effective number of
// independent samples (effective_samples), because a slow drift looks bimodal by chance. The groups
// are the split of the ordered samples with the smallest sum of distances from the two medians. No
// modes for fewer than 20 samples.
Modes modes_of(std::span<const Seconds> values);

}  // namespace strata
