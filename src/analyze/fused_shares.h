// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/summary.h"

#include <cstddef>
#include <vector>

namespace strata {

// One layer's part of the time of a step that does several layers at once. Only the step's time is
// measured, so the part is derived: the step's time is divided in proportion to each layer's own
// time at the ceilings of the run's device,
//   max(operations / peak, compulsory traffic / bandwidth of main memory),
// including the traffic that fusion saves. So a part reflects the layer's unfused cost rather than
// its cost in the fused loop, which cannot be observed.
struct FusedShare {
    std::size_t within = 0;  // the step that was measured, as an index in Run::steps
    std::size_t step = 0;    // the layer's own step: `within`, or one included in it
    double share = 0;        // of the step's time
    Seconds time;
};

// The parts of all fused steps, in the order of execution, each step's own layer first. A step is
// left out if it has no time, the run has no ceilings, or the work of one of its layers is
// unknown.
std::vector<FusedShare> fused_shares(const Run& run, const Summary& summary);

}  // namespace strata
