// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Work that an iteration does once or several times: steps that do the same to tensors of the same
// shapes with the same implementation. Counters need to measure it only once.
struct DistinctStep {
    std::string signature = {};           // everything that determines the counts, in one line
    std::vector<std::size_t> steps = {};  // indices; the first one is run
};

// The distinct steps of an executable, ordered by their first occurrence, without refused steps.
std::vector<DistinctStep> distinct_steps(const Graph& graph, std::span<const Step> steps);

}  // namespace strata
