// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "backend/cuda/cupti/range_counter.h"
#include "backend/profiling.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace strata::cuda {

// The steps and counters of a counting run, and the callbacks for its results.
struct StepCountingJob {
    std::span<const DistinctStep> steps = {};
    const MetricPlan* plan = nullptr;
    std::size_t passes = 1;  // as planned for the chip
    // Counters set up for one range; made anew for each step. Throws ProfilerError.
    std::function<std::unique_ptr<RangeCounter>()> make_counter = {};
    // As in strata::CountingJob: an interrupted job continues where it stopped.
    std::function<bool(const DistinctStep&)> is_known = {};
    std::function<void(const CountedStep&)> keep = {};
};

// Counts each distinct step by itself, once for each pass. A step that fails, or whose counters are
// refused, is kept with the reason. If counting is forbidden altogether (privileges, another
// profiler, a virtual device ...), that is found out once and holds for every later step.
void count_steps(Executable& executable, const StepCountingJob& job);

// Every metric of a plan, without a value and with this reason; metrics that the chip lacks keep
// theirs.
std::vector<EvaluatedMetric> metrics_without_values(const MetricPlan& plan,
                                                    const std::string& reason);

// Whether this trouble with one step's counters affects all steps, so that no other need be tried.
bool forbids_all(ProfilerTrouble trouble);

}  // namespace strata::cuda
