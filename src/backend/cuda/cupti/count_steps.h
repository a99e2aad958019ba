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

// What is to be counted by counters that are set up, and what becomes of it.
struct StepCountingJob {
    std::span<const DistinctStep> steps = {};
    const MetricPlan* plan = nullptr;
    std::size_t passes = 1;  // as planned for the chip
    // Counters set up for one range; made anew for each step. Throws ProfilerError.
    std::function<std::unique_ptr<RangeCounter>()> make_counter = {};
    // As strata::CountingJob has them: a job that was interrupted continues.
    std::function<bool(const DistinctStep&)> is_known = {};
    std::function<void(const CountedStep&)> keep = {};
};

// Counts each distinct step by itself, once for each pass. A step that fails, or whose counters are
// refused, is kept with the reason; what forbids counting at all (privileges, another profiler, a
// virtual device ...) is requested once and holds for every step after it.
void count_steps(Executable& executable, const StepCountingJob& job);

// Every metric of a plan without a value for the same reason, but those that the chip lacks anyway.
std::vector<EvaluatedMetric> metrics_without_values(const MetricPlan& plan,
                                                    const std::string& reason);

// Whether trouble with one step's counters is trouble with all: nothing else need be tried.
bool forbids_all(ProfilerTrouble trouble);

}  // namespace strata::cuda
