// SPDX-License-Identifier: MIT
#pragma once

#include "measure/activity.h"
#include "measure/doubt.h"
#include "measure/iteration.h"
#include "measure/policy.h"

#include <vector>

namespace strata {

// Whose time the time of an iteration is.
enum class TimedWork {
    processors,  // this machine's: its threads compute
    launches,    // a GPU's by its own clock, but the host launches one step after another
    device,      // a GPU's by its own clock: an iteration is one launch, and the host only waits
};

// Looks for trouble in the samples and in the machine's activity meanwhile. Series are judged
// without samples that other programs delayed, unless too few remain. All thresholds require both
// significance (1 %) and a size that matters:
//
//   imprecise        the time was used up; a median's interval is wider than policy.precision
//   drift            the end-to-end time rises or falls over the series by more than the precision
//                    (at least 1 %), by Mann-Kendall and Theil-Sen
//   bimodal          the end-to-end times have two humps (dip test) more than 2 % apart, each with
//                    at least 5 % of the samples
//   autocorrelated   neighbouring samples resemble each other so much that they are worth less than
//                    a third of their number, and no drift explains it
//   noisy-neighbour  the calibration loop's slow runs (its 90 % quantile) take 15 % longer than its
//                    quick ones (10 %): others use the processors, or the clock changes
//   steal            the hypervisor took more than 1 % of the processors' time
//   preempted        other processes interrupted this one more than 20 times a second
//   throttled        the control group's quota stopped this process for more than 1 % of the time
//   paging           pages were read from disk while sampling
//
// The last five concern this machine's processors, and so not the times of a `device`.
std::vector<Doubt> diagnose(const SampledIteration& sampled, const Policy& policy,
                            const ActivityChange& activity, TimedWork work = TimedWork::processors);

// The conditions of a measurement, known before its first sample.
struct Circumstances {
    int threads = 1;         // threads that compute
    int processors = 1;      // processors that this process may use
    bool is_shared = false;  // another strata was measuring on this machine at the start
};

// Doubts from the conditions alone:
//
//   oversubscribed   more threads than processors: they alternate and wait for each other
//   shared-machine   another strata measured at the same time
std::vector<Doubt> diagnose(const Circumstances& circumstances);

}  // namespace strata
