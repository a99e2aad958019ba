// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"
#include "record/run.h"
#include "run/execute.h"
#include "run/job.h"

namespace strata {

// Adds to a sampled run what its job asks a device to record: the kernels of recorded iterations,
// and counters of each step. What the run has already, of an interrupted attempt, stays and is not
// requested again. What a device refuses becomes a flag with the reason, or the reason of the
// metrics concerned; the run's times are as they were. `profiling` is what the backend has, if
// anything. The run is partial where `observer.stop` was raised.
void profile_into(Run& run, Profiling* profiling, const Graph& graph, const Job& job,
                  const Observer& observer);

// Whether a job asks a device for more than times.
bool asks_for_profile(const Job& job);

// The job without what does not affect its times.
Job without_profile(Job job);

// As profile_into, on the network prepared again; for a run that is timed and whose executable is
// gone. If other steps are prepared than were timed, or none can be, that is a flag and the times
// stay; if the same steps are implemented otherwise, the flag says of the profile that it is of
// others.
void profile_timed(Run& run, const Job& job, const Graph& graph, Backend& backend,
                   const Observer& observer);

// Iterations to record where one takes so long.
std::size_t iterations_to_record(Seconds one);

}  // namespace strata
