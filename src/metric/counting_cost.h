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
    std::size_t passes = 0;  // as planned for the chip: an iteration each
    std::size_t steps = 0;   // that are counted in each of them
    // Time of an iteration that nobody observes; nothing where it was not measured.
    std::optional<Seconds> iteration = {};
};

// "counting 36 counters of 24 steps takes 3 iterations, at least 41.4 ms (13.8 ms each
// unobserved)". What counting itself slows down comes on top.
std::string cost_sentence(const CountingCost& cost);

}  // namespace strata
