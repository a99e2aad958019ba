// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "graph/plan.h"
#include "record/run.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// How a layer's pass compares with the reference, and why it disagrees (empty: it agrees).
struct PassCheck {
    ReferenceError error = {};  // of its worst tensor; tolerance 0: nothing was compared
    std::string reason = {};
};
using PassChecks = std::map<std::pair<LayerId, Pass>, PassCheck>;

// The results of a run before its first sample: each step's identity, work, comparison with the
// reference if requested, and the reason if it does not count. A step that will be timed has empty
// Samples.
std::vector<StepResult> step_results(const Plan& plan, std::span<const Step> steps,
                                     const PassChecks& checks);

// The total work, equal to the sum over step_results, which takes longer.
RunWork work_of_steps(const Plan& plan, std::span<const Step> steps);

// The steps of the schedule, refused for this reason.
std::vector<Step> scheduled_steps(const Plan& plan, const std::string& reason);

}  // namespace strata
