// SPDX-License-Identifier: MIT
#pragma once

#include "backend/distinct_steps.h"
#include "metric/plan.h"
#include "trace/trace.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Iterations of an executable, recorded by a tracer.
struct Recording {
    std::string device = {};  // "NVIDIA H200"
    Trace trace = {};
    std::vector<std::uint64_t> iterations = {};  // the range around each iteration
    std::vector<Seconds> times = {};             // of each, from Executable::run
};

// The plan for counting, known before it starts.
struct CountingPlan {
    std::vector<DistinctStep> steps = {};  // each is counted separately
    std::size_t counters = 0;
    std::size_t passes = 0;    // as planned for the chip; 0: nothing can be counted
    std::string refusal = {};  // why nothing can be counted; else empty
};

// A distinct step with every requested metric: a value, or why there is none.
struct CountedStep {
    DistinctStep step = {};
    std::vector<EvaluatedMetric> metrics = {};
};

// What to count, and the callbacks. Every callback is set.
struct CountingJob {
    std::span<const MetricSet> sets = {};
    // Called before the first step.
    std::function<void(const CountingPlan&)> announce = {};
    // Whether to skip a step: it was counted before, or is no longer wanted.
    std::function<bool(const DistinctStep&)> is_known = {};
    // Called after each step, so that its counts survive later failures.
    std::function<void(const CountedStep&)> keep = {};
};

// What a device reports about an executable's steps besides their times. It uses iterations of its
// own: recording and counting slow the work down, so nothing is timed along with them.
class Profiling {
public:
    virtual ~Profiling() = default;

    // Records this many iterations, each span with the layer and pass of its step. Throws Error,
    // with the fix, if the device cannot be traced.
    virtual Recording record(std::size_t iterations) = 0;

    // Counts each distinct step separately, once for each pass that its counters need. A refusal
    // becomes the reason of the metrics concerned.
    virtual void count(const CountingJob& job) = 0;
};

}  // namespace strata
