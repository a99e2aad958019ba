// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/distinct_steps.h"
#include "backend/cuda/cupti/range_counter.h"
#include "metric/plan.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace strata::cuda {

// A distinct step with every metric of the plan: a value, or why there is none.
struct CountedStep {
    DistinctStep step = {};
    std::vector<EvaluatedMetric> metrics = {};
};

// What is to be counted, and what becomes of it.
struct CountingJob {
    std::span<const DistinctStep> steps = {};
    const MetricPlan* plan = nullptr;
    std::size_t passes = 1;  // as planned for the chip
    // Counters set up for one range; made anew for each step. Throws ProfilerError.
    std::function<std::unique_ptr<RangeCounter>()> make_counter = {};
    // Whether a step of this signature was counted before: a job that was interrupted goes on.
    std::function<bool(const std::string& signature)> is_known = {};
    // Called after each step, so that what was counted survives what comes after.
    std::function<void(CountedStep)> keep = {};
};

// Counts each distinct step by itself, once for each pass. A step that fails, or whose counters are
// refused, is kept with the reason; what forbids counting at all (privileges, another profiler, a
// virtual device ...) is asked for once and holds for every step after it.
void count_steps(Executable& executable, const CountingJob& job);

// Whether trouble with one step's counters is trouble with all: nothing else need be tried.
bool forbids_all(ProfilerTrouble trouble);

}  // namespace strata::cuda
