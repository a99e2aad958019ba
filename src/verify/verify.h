// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"

#include <vector>

namespace strata {

// How one step compares with the reference computed from the same inputs.
struct StepCheck {
    std::size_t step = 0;
    double error = 0;      // largest |ours - reference| over the scale of the reference's values
    double tolerance = 0;  // by element type and length of the sums; 0: nothing to compare with
    std::string reason;    // empty: agrees

    bool has_reference() const { return tolerance > 0; }
};

// Runs each compute step of an executable prepared with MemoryReuse::kept once, in order, and
// compares every tensor it wrote with the reference's: one check for each compute step that is not
// refused, in order, and one for each accumulation whose sum is wrong.
//
// A gradient to which several layers contribute is compared once, when all have and before the
// first step reads it: with the sum of the reference's contributions, each from what that layer
// read. If it is wrong, the accumulation is at fault if there is one, else the layer after which
// the partial sum first went wrong. verify/expected.h defines scale and tolerance.
//
// Layers whose forward passes are done in one step (Step::within) are compared by the last layer's
// result, with the sum of their tolerances.
//
// A task whose backward_weights is done within its backward_data is compared with that. A task
// without any step, such as a reshape that moves nothing, counts as done by sharing memory.
//
// Requires: no iteration has run, because an update is checked with the momentum still at 0.
std::vector<StepCheck> verify(const Graph& graph, const Execution& execution,
                              Executable& executable);

}  // namespace strata
