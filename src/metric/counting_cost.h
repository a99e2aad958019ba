// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <optional>
#include <string>

namespace strata {

// The cost of counting, known before it starts.
struct CountingCost {
    std::size_t counters = 0;
    std::size_t passes = 0;  // as planned for the chip
    std::size_t pieces = 0;  // distinct layers' passes that are counted, each by itself
    // Time of all of these once, unobserved; nothing where it was not measured.
    std::optional<Seconds> once = {};
};

// How often a piece of work is run in all.
std::size_t runs_of(const CountingCost& cost);

// "counting 36 counters takes 3 passes: 24 distinct steps are run 72 times, at least 41.3 ms of
// work that takes 13.8 ms unobserved". What counters themselves slow down comes on top.
std::string cost_sentence(const CountingCost& cost);

}  // namespace strata
