// SPDX-License-Identifier: MIT
#pragma once

#include "measure/iteration.h"
#include "measure/measurement.h"

namespace strata {

// The cost of one batch of input in processor time, summed over the threads that made it.
struct BatchTimes {
    Seconds decode;   // from the stored form to pixels
    Seconds augment;  // from pixels to the iteration's input
};

// All samples of an iteration and its input. `serial` consists of `produce`, `copy` and the rest,
// which is the step itself; `overlapped` of `waiting`, `copying` and the rest, which is the step
// while the next batch is made.
struct SampledInfeed {
    Samples step = {};        // the iteration alone, with its input ready
    Samples serial = {};      // make a batch, copy it, run the iteration
    Samples decode = {};      // of each serial iteration's batch, in processor time (BatchTimes)
    Samples augment = {};     // likewise
    Samples produce = {};     // until the batch was made
    Samples copy = {};        // copying the batch to the iteration
    Samples overlapped = {};  // while an iteration runs, the next batch is made: two buffers
    Samples waiting = {};     // part of it: until the batch was made
    Samples copying = {};     // part of it: copying the batch to the iteration
    StopReason reason = StopReason::interrupted;
};

}  // namespace strata
