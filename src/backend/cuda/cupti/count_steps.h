// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/range_counter.h"
#include "backend/profiling.h"

#include <functional>
#include <memory>
#include <vector>

namespace strata::cuda {

// What to count, with which counters, and what to do with the results.
struct StepCountingJob {
    std::vector<std::size_t> steps = {};  // indices, in the order of the iteration
    const MetricPlan* plan = nullptr;
    std::size_t passes = 1;  // as planned for the chip
    // Runs a whole iteration and notifies the watch of each step; the device is idle when a step
    // begins and when it ends.
    std::function<void(StepWatch&)> iterate = {};
    // Sets up counters for this many ranges in a pass. Throws ProfilerError.
    std::function<std::unique_ptr<RangeCounter>(std::size_t ranges)> make_counter = {};
    std::function<bool()> is_stopped = {};
    std::function<void(const CountedStep&)> keep = {};
};

// Counts all steps in the same iterations, with a range around each, so that a step finds the
// caches as its predecessor left them. If CUPTI cannot hold that many ranges, further iterations
// count the rest. Each pass is one more iteration: training changes the parameters between passes,
// while shapes and indices stay the same. If counting is forbidden or a step fails, every step that
// was not counted yet has that as its reason.
void count_steps(const StepCountingJob& job);

}  // namespace strata::cuda
