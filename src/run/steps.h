// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "record/run.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// How a layer's pass compares with the reference, and why it disagrees (empty: it agrees).
struct PassCheck {
    ReferenceError error = {};  // of the worst of its tensors; tolerance 0: nothing was compared
    std::string reason = {};
};
using PassChecks = std::map<std::pair<LayerId, Pass>, PassCheck>;

// The results of a run before its first sample: what each step is, what it must do, how it compares
// with the reference where that was requested, and for those that cannot count why not. A step that
// will be timed holds empty Samples.
std::vector<StepResult> step_results(const Graph& graph, const Execution& execution,
                                     std::span<const Step> steps, const PassChecks& checks);

// The work of all of them, as the sum of step_results, which takes longer.
RunWork work_of_steps(const Graph& graph, const Execution& execution, std::span<const Step> steps);

// The steps that the schedule would have had, refused for this reason.
std::vector<Step> scheduled_steps(const Graph& graph, const Execution& execution,
                                  const std::string& reason);

}  // namespace strata
