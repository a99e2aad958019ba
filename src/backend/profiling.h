// SPDX-License-Identifier: MIT
#pragma once

#include "backend/backend.h"
#include "metric/plan.h"
#include "trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Learns where each step of an iteration begins and ends, to put a profiler range around it.
class StepWatch {
public:
    virtual ~StepWatch() = default;
    // `index` is the step's among Executable::steps().
    virtual void begin(std::size_t index, const Step& step) = 0;
    virtual void end() noexcept = 0;
};

// Ends a step that has begun, even if its work throws.
class WatchedStep {
public:
    WatchedStep(StepWatch& watch, std::size_t index, const Step& step) : watch_(watch) {
        watch_.begin(index, step);
    }
    WatchedStep(const WatchedStep&) = delete;
    WatchedStep& operator=(const WatchedStep&) = delete;
    ~WatchedStep() { watch_.end(); }

private:
    StepWatch& watch_;
};

// Iterations of an executable, recorded by a tracer.
struct Recording {
    std::string device = {};   // "NVIDIA H200"
    std::string warning = {};  // about the profiler's version; else empty
    Trace trace = {};
    std::vector<std::uint64_t> iterations = {};  // the range around each iteration
    std::vector<Seconds> times = {};             // of each, from Executable::run
};

// The plan for counting, known before it starts.
struct CountingPlan {
    std::vector<std::size_t> steps = {};  // indices of the steps to be counted
    std::size_t counters = 0;
    std::size_t passes = 0;    // iterations, as planned for the chip; 0: nothing can be counted
    std::string refusal = {};  // why nothing can be counted; else empty
};

// A step with every requested metric: a value, or why there is none.
struct CountedStep {
    std::size_t step = 0;
    std::vector<EvaluatedMetric> metrics = {};
};

// What to count, and the callbacks. Every callback is set.
struct CountingJob {
    std::span<const MetricSet> sets = {};
    // Called before the first step.
    std::function<void(const CountingPlan&)> announce = {};
    // Whether a step was counted before.
    std::function<bool(std::size_t step)> is_known = {};
    // Whether to stop before the next iteration. Steps whose counts are incomplete are not kept.
    std::function<bool()> is_stopped = {};
    // Called for each step once its counts are complete.
    std::function<void(const CountedStep&)> keep = {};
};

// Reports what a device knows about an executable's steps besides their times. It uses separate
// iterations: recording and counting slow the work down, so nothing is timed along with them.
class Profiling {
public:
    virtual ~Profiling() = default;

    // Records this many iterations, each span with the layer and pass of its step. Throws Error,
    // with the fix, if the device cannot be traced.
    virtual Recording record(std::size_t iterations) = 0;

    // Counts every step inside whole iterations, in the order and with the caches of a timed
    // iteration. Each pass that the counters need is one iteration. A refusal becomes the reason of
    // the metrics concerned.
    virtual void count(const CountingJob& job) = 0;

    // Whether any executable has used the profiler in this process, and it cannot be removed:
    // everything timed from now on is timed with it.
    virtual bool is_attached() const { return false; }
};

}  // namespace strata
