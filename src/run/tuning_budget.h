// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>

namespace strata {

// For candidates that may win: with fewer rounds even a large gain is rarely certain.
inline constexpr std::size_t rounds_to_decide = 4;
// Minimum for the network with all choices: fewer do not give a valid interval.
inline constexpr std::size_t rounds_to_confirm = 3;

// The measured costs of a tuning's parts, from which the next part's cost is estimated: a part that
// would not end in time is not begun.
struct TuningCosts {
    Seconds step;         // an iteration of the usual network
    Seconds preparation;  // of preparing a network and its first iteration: the latest
    Seconds checks;       // of all error checks so far
    Seconds checked;      // the time of these layers in an iteration of the usual network

    // The cost of `rounds` in which this many candidate networks alternate with the usual one.
    Seconds turns(std::size_t networks, std::size_t rounds) const;
    // The cost of preparing one more network and then deciding between this many, including it.
    Seconds trial(std::size_t networks) const;
    // The cost of checking the errors of a layer with this time in the usual network; without an
    // earlier check, as if it were a separate network.
    Seconds check(Seconds layer) const;
    // The cost of the network with all choices: prepared, and measured in the minimum number of
    // rounds.
    Seconds confirmation() const;
    // The time to reserve after the last trial: the above, and the errors of every layer once.
    Seconds end() const { return confirmation() + check(step); }
};

// How many of the wanted rounds fit in the remaining time. (Negative time: none.)
std::size_t rounds_that_fit(Seconds round, Seconds left, std::size_t wanted);

}  // namespace strata
