// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace strata {

// What one thread of a team does in a round.
using Round = std::function<void()>;

// Runs rounds on one thread per processor, each bound to its own where the system allows that, all
// at once. `prepare` is called on each thread with its number and gives its work; `rounds` counts
// those to be timed, after one that is not. Gives the time of each round from the first thread's
// begin to the last one's end. Requires: processors not empty.
std::vector<Seconds> run_rounds(std::span<const int> processors, std::size_t rounds,
                                const std::function<Round(std::size_t thread)>& prepare);

}  // namespace strata
