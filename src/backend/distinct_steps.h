// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace strata {

// A piece of work that an iteration does once or several times: steps that do the same to tensors
// of the same shapes, by the same implementation. Counters need to see it once.
struct DistinctStep {
    std::string signature = {};           // everything that decides what is counted, in one line
    std::vector<std::size_t> steps = {};  // indices, the first one is run
};

// The distinct steps of an executable in the order of their first ones; refused steps are left out.
std::vector<DistinctStep> distinct_steps(const Graph& graph, std::span<const Step> steps);

}  // namespace strata
