// SPDX-License-Identifier: MIT
#pragma once

#include "measure/doubt.h"
#include "measure/statistics.h"
#include "record/run.h"

#include <optional>
#include <vector>

namespace strata {

// The time of each of the run's steps, from the samples that other programs did not delay; nothing
// if it has no samples. A step with too few such samples uses those of all steps that do the same
// in the same way (operation, pass, problem, implementation, algorithm, layout), which may find the
// caches in another state.
std::vector<std::optional<Estimate>> step_times(const Run& run);

// Whether the time includes samples that other programs delayed, so that it supports no conclusion.
inline bool is_inconclusive(const std::optional<Estimate>& time) {
    return time && time->use == SampleUse::disturbed;
}

// How many samples of the steps were delayed, and how those steps were timed. Nothing if more than
// 99 % of the samples were undisturbed and every step has enough of them.
std::optional<Doubt> disturbance_doubt(const Run& run);

}  // namespace strata
