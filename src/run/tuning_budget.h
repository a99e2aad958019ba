// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>

namespace strata {

// Of candidates that may win: with fewer rounds even a large gain is seldom sure.
inline constexpr std::size_t rounds_to_decide = 4;
// Of the network with all choices made, at least: no fewer have an interval that holds.
inline constexpr std::size_t rounds_to_confirm = 3;

// What the parts of a tuning cost, as far as they were measured: what a next part will cost is
// estimated before it begins, and what would not end in time is not begun.
struct TuningCosts {
    Seconds step;         // an iteration of the usual network
    Seconds preparation;  // of a network and its first iteration: the latest
    Seconds checks;       // of the errors of layers by algorithms, all so far
    Seconds checked;      // what these layers take in an iteration of the usual network

    // Of `rounds` in which so many networks of candidates take turns with the usual one.
    Seconds turns(std::size_t networks, std::size_t rounds) const;
    // Of preparing one network more and then deciding between so many, that one included.
    Seconds trial(std::size_t networks) const;
    // Of the errors of a layer that takes so long in an iteration of the usual network; without an
    // earlier check as if it were a network of its own.
    Seconds check(Seconds layer) const;
    // Of the network with all choices made: it is prepared, and measured in the fewest rounds.
    Seconds confirmation() const;
    // What must be left when the last trial ends: that, and the errors of every layer once.
    Seconds end() const { return confirmation() + check(step); }
};

// How many more rounds fit into the time that is left, of those wanted. (Negative time: none.)
std::size_t rounds_that_fit(Seconds round, Seconds left, std::size_t wanted);

}  // namespace strata
