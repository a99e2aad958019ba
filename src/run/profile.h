// SPDX-License-Identifier: MIT
#pragma once

#include "backend/profiling.h"
#include "record/run.h"
#include "run/execute.h"
#include "run/job.h"

namespace strata {

// Adds to a sampled run the recordings that its job requests from a device: the kernels of recorded
// iterations, and counters of each step. Results of an interrupted attempt stay and are not
// recorded again. A refusal of the device becomes a flag with the reason, or the reason of the
// metrics concerned; the run's times do not change. `profiling` is the backend's profiler, if any.
// The run is partial if `observer.stop` was set.
void profile_into(Run& run, Profiling* profiling, const Job& job, const Observer& observer);

// Whether a job requests more than times from a device.
bool asks_for_profile(const Job& job);

// The job without what does not affect its times.
Job without_profile(Job job);

// Like profile_into, but prepares the network again, for a timed run whose executable is gone. If
// the prepared steps differ from the timed ones, or preparing fails, a flag says so and the times
// stay; if the same steps have other implementations, the flag says that the profile describes
// those.
void profile_timed(Run& run, const Job& job, Backend& backend, const Observer& observer);

// The number of iterations to record if one takes this long.
std::size_t iterations_to_record(Seconds one);

}  // namespace strata
