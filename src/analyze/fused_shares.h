// SPDX-License-Identifier: MIT
#pragma once

#include "analyze/summary.h"

#include <cstddef>
#include <vector>

namespace strata {

// One layer's part of the time of a step that does several layers at once. The time is measured of
// the step alone, so the part is derived: the step's time is divided in proportion to what each of
// its layers would take by itself at the ceilings of the run's device,
//   max(operations / peak, compulsory traffic / bandwidth of main memory),
// with the traffic that fusion saves. So a part says what the layer costs where nothing is fused
// rather than what the fused loop spends on it, which is less than can be seen.
struct FusedShare {
    std::size_t within = 0;  // the step that was measured, as an index in Run::steps
    std::size_t step = 0;    // the layer's own: `within`, or one that is included in it
    double share = 0;        // of the step's time
    Seconds time;
};

// The parts of all fused steps, in the order of execution, each step's own layer first. A step is
// left out where it has no time, where the run has no ceilings, or where the work of one of its
// layers is unknown.
std::vector<FusedShare> fused_shares(const Run& run, const Summary& summary);

}  // namespace strata
