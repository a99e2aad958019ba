// SPDX-License-Identifier: MIT
#pragma once

#include "tests/backend/cuda/gpu/check.h"

#include <vector>

namespace strata::testing {

// Every kernel of a training step by its layer, and what recording costs a replayed iteration.
std::vector<Finding> check_trace();

// Counters of each distinct step, passes and cost; if counters are denied, the sentence that says
// so.
std::vector<Finding> check_counters();

}  // namespace strata::testing
