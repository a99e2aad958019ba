// SPDX-License-Identifier: MIT
#pragma once

#include "device/device.h"
#include "device/host.h"
#include "measure/clock.h"

#include <functional>
#include <string>

namespace strata {

// Limits on the cost of measuring ceilings.
struct CeilingEffort {
    Seconds time_of_sample{3e-3};  // less than a time slice, so that some samples are undisturbed
    Seconds max_time_per_kernel{0.5};
    Bytes max_memory{1 << 30};  // of all threads together; never more than a quarter of the host's
};

// Measures the ceilings of `threads` pinned threads of this machine together: arithmetic by element
// type, and the bandwidth of each cache and of main memory. It takes two seconds on a quiet
// machine, about fifteen on a busy one.
//
// This is one pass: every ceiling is doubtful until another pass comes near it.
//
// Each ceiling is the best sample of the best kernel that the machine can run, because disturbances
// only slow things down; a kernel is sampled until its three best samples agree to 2 %. The source
// names date, kernel, how far the median lay below the best, and what other kernels reached. Bytes
// are those that the program reads and writes (measure/kernels/kernels.h). Working sets, all
// threads together:
//
//   L1, L2  half of the caches
//   L3      four times the L2 caches; left out if L3 is not twice that
//   DRAM    four times the last cache, at least 64 MiB, at most max_memory. If that is less
//           than twice the last cache, the source says so: the cache served part of it
//
// `progress` receives the name of the next measurement. Requires: threads from 1 to
// host.processors.size(). Throws Error if there is not enough memory.
Device measure_ceilings(const Host& host, int threads, const CeilingEffort& effort = {},
                        const std::function<void(const std::string&)>& progress = {});

// How often a calibration is repeated.
struct Repetition {
    std::size_t max_passes = 8;
    Seconds max_time{60};  // no pass begins after this time
};

// The best of several passes. At least two are made, and more until the best two values of every
// ceiling agree (device.h), because a disturbance that lasts as long as a kernel is measured slows
// all of its samples. Ceilings that do not agree by then stay doubtful. `measure` makes a pass.
Device repeat_until_agreed(const std::function<Device()>& measure, const Repetition& limits,
                           Clock& clock);

}  // namespace strata
