// SPDX-License-Identifier: MIT
#pragma once

#include "parallel/collective_fit.h"
#include "scale/exchanger.h"

#include <functional>
#include <string>
#include <vector>

namespace strata {

// Measures every collective of 2, 4, ... and all ranks, from 1 KiB to 16 MiB: the median of some
// rounds, each of exchanges one after the other, as the slowest rank sees it. Must be called by all
// ranks; those that do not take part in a round wait.
std::vector<CollectivePoint> measure_collectives(
    Exchanger& exchanger, const std::function<void(const std::string& what)>& progress);

// Of a rank that waits until others have measured something without it.
inline constexpr double patience_of_idle = 20;

// The largest of the ranks' numbers, number by number; all must call it.
std::vector<double> largest_of_ranks(Exchanger& exchanger, int ranks, std::vector<double> own);

// The numbers of all of the first so many ranks, one rank behind the other.
std::vector<double> of_all_ranks(Exchanger& exchanger, int ranks, std::span<const double> own);

}  // namespace strata
