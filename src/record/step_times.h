// SPDX-License-Identifier: MIT
#pragma once

#include "measure/doubt.h"
#include "measure/statistics.h"
#include "record/run.h"

#include <optional>
#include <vector>

namespace strata {

// The time of each of the run's steps; nothing where it has no samples. It is that of the samples
// that other programs did not delay. A step that has too few of them takes those of all steps that
// do the same in the same way (operation, pass, problem, implementation, algorithm, layout), which
// may find the caches in another state.
std::vector<std::optional<Estimate>> step_times(const Run& run);

// Whether the time is that of samples that other programs delayed, so that nothing follows from it.
inline bool is_inconclusive(const std::optional<Estimate>& time) {
    return time && time->use == SampleUse::disturbed;
}

// How many samples of the steps were delayed, and what became of those steps. Nothing where more
// than 99 % of the samples were undisturbed and every step has enough of them.
std::optional<Doubt> disturbance_doubt(const Run& run);

}  // namespace strata
