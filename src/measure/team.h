// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace strata {

// The work of one thread of a team in a round.
using Round = std::function<void()>;

// Runs rounds at the same time on one thread per processor, each bound to its own if the system
// allows it. `prepare` is called on each thread with its index and returns its work. `rounds` is
// the number of timed rounds, which follow an untimed one. Returns the time of each round, from the
// first thread's start to the last one's end. Requires: processors not empty.
std::vector<Seconds> run_rounds(std::span<const int> processors, std::size_t rounds,
                                const std::function<Round(std::size_t thread)>& prepare);

}  // namespace strata
