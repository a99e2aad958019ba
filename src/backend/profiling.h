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

// Iterations of an executable as a tracer recorded them.
struct Recording {
    std::string device = {};  // "NVIDIA H200"
    Trace trace = {};
    std::vector<std::uint64_t> iterations = {};  // the range around each
    std::vector<Seconds> times = {};             // of each, as Executable::run tells them
};

// What counting will be, known before it starts.
struct CountingPlan {
    std::vector<DistinctStep> steps = {};  // each is counted by itself
    std::size_t counters = 0;
    std::size_t passes = 0;    // as planned for the chip; 0: nothing can be counted
    std::string refusal = {};  // why not; empty where it can
};

// A distinct step with every metric requested: a value, or why there is none.
struct CountedStep {
    DistinctStep step = {};
    std::vector<EvaluatedMetric> metrics = {};
};

// What is to be counted, and what becomes of it. Every callback is set.
struct CountingJob {
    std::span<const MetricSet> sets = {};
    // Before the first step.
    std::function<void(const CountingPlan&)> announce = {};
    // Whether a step needs no counting: it was counted before, or is not wanted any more.
    std::function<bool(const DistinctStep&)> is_known = {};
    // After each step, so that what was counted survives what comes after.
    std::function<void(const CountedStep&)> keep = {};
};

// What a device tells of an executable's steps beside their times, in iterations of their own:
// recording and counting slow the work down, so nothing is timed along with them.
class Profiling {
public:
    virtual ~Profiling() = default;

    // Records so many iterations, each span with the step's layer and pass that it belongs to.
    // Throws Error, with its fix, where the device cannot be traced.
    virtual Recording record(std::size_t iterations) = 0;

    // Counts each distinct step, alone, once for each pass that its counters need. What is refused
    // becomes the reason of the metrics concerned.
    virtual void count(const CountingJob& job) = 0;
};

}  // namespace strata
