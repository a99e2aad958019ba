// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <span>

namespace strata {

// A median with its 95 % confidence interval (order statistics, exact binomial; for fewer than six
// samples the whole range, which covers less and says so by `samples`).
struct Estimate {
    Seconds median;
    Seconds low;
    Seconds high;
    Seconds minimum;
    std::size_t samples = 0;

    bool operator==(const Estimate&) const = default;
};

// Requires: values not empty.
Estimate estimate(std::span<const Seconds> values);

// Half the interval's width over the median.
double relative_half_width(const Estimate& estimate);

}  // namespace strata
