// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <vector>

namespace strata {

// How one step compares with the reference computed from the very inputs that the step read.
struct StepCheck {
    std::size_t step = 0;
    double error = 0;      // largest |ours - reference| over the scale of the reference's values
    double tolerance = 0;  // by element type and length of the sums
    std::string reason;    // empty: agrees
};

// Runs each compute step of an executable prepared with MemoryReuse::kept once, in order, and
// compares every tensor it wrote with the reference's.
std::vector<StepCheck> verify(const Graph& graph, const Execution& execution,
                              Executable& executable);

}  // namespace strata
