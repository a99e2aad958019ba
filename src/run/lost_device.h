// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "record/run.h"

#include <optional>
#include <vector>

namespace strata {

// What becomes of a run whose device one step made unusable: it is partial, that step has failed,
// no other is measured, and each says why. The same job, given again in a new process, leaves out
// what has failed and measures the rest.

// `run` as it was planned, with the steps of the schedule, of which this one failed. What earlier
// attempts failed at stays failed.
void end_by_failure(Run& run, const Graph& graph, const Execution& execution,
                    const StepFailure& failure);

// The layers' passes that failed so in earlier attempts; empty where none did.
std::vector<Omission> omissions_of(const std::optional<Run>& earlier);

// What was left out has failed, and is not only skipped.
void mark_omitted(const std::vector<Omission>& omissions, Run& run);

// Whether a run ended so.
bool lost_its_device(const Run& run);

}  // namespace strata
