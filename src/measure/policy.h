// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>

namespace strata {

// How long and how carefully to measure. One meaning per field; passed whole.
struct Policy {
    std::size_t warmup = 3;        // whole iterations before the first sample, at least
    Seconds min_time{0.5};         // sampling continues at least so long
    Seconds max_time{20};          // warm-up and sampling stop then: unstable if still imprecise
    std::size_t min_samples = 10;  // of each quantity
    double precision = 0.01;       // wanted half-width of the median's 95 % interval, relative
};

}  // namespace strata
