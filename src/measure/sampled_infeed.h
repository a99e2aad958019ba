// SPDX-License-Identifier: MIT
#pragma once

#include "measure/iteration.h"
#include "measure/measurement.h"

namespace strata {

// What one batch of input cost, in time of a processor: summed over the threads that made it.
struct BatchTimes {
    Seconds decode;   // from the stored form to pixels
    Seconds augment;  // from pixels to the numbers that the iteration takes
};

// All samples of an iteration and its input. Of serial iterations `produce`, `copy` and the rest,
// which is the step itself, make up `serial`; of overlapped ones `waiting`, `copying` and the rest,
// which is the step while the next batch is made beside it, make up `overlapped`.
struct SampledInfeed {
    Samples step = {};        // the iteration alone, its input at hand
    Samples serial = {};      // make a batch, copy it, run the iteration
    Samples decode = {};      // of each serial iteration's batch, in processor time (BatchTimes)
    Samples augment = {};     // likewise
    Samples produce = {};     // until the batch was made
    Samples copy = {};        // until the iteration had it
    Samples overlapped = {};  // while an iteration runs, the next batch is made: two buffers
    Samples waiting = {};     // of that, until the batch was made
    Samples copying = {};     // and until the iteration had it
    StopReason reason = StopReason::interrupted;
};

}  // namespace strata
