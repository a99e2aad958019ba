// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"
#include "record/run.h"
#include "run/execute.h"
#include "run/job.h"

namespace strata {

// Adds to a sampled run what its job asks a device to tell: the kernels of recorded iterations, and
// counters of each step. What the run has already, of an interrupted attempt, stays and is not
// requested again. What a device refuses becomes a flag with the reason, or the reason of the
// metrics concerned; the run's times are as they were. `profiling` is what the backend has, if
// anything. The run is partial where `observer.stop` was raised.
void profile_into(Run& run, Profiling* profiling, const Graph& graph, const Job& job,
                  const Observer& observer);

// Iterations to record where one takes so long.
std::size_t iterations_to_record(Seconds one);

}  // namespace strata
