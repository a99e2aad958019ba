// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/activity_calls.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::cuda {

// Records what a device does from here until `finish`, and which range of the host's calls each
// piece belongs to. Graphs that are to be attributed must be captured while it lives.
//
//   Tracer tracer(*calls);
//   for (each step) { TracedRange range(tracer, task); enqueue(step); }
//   wait for the device
//   Trace trace = tracer.finish();
class Tracer {
public:
    // Throws ProfilerError, with nothing left enabled. Requires: `calls` outlives it.
    explicit Tracer(ActivityCalls& calls);
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    ~Tracer();

    // A range within the present one, and the end of the innermost. Ranges without a task belong to
    // that of the range around them.
    // Says the range's id.
    std::uint64_t begin_range(std::optional<Task> task = {});
    void end_range();
    // Where nothing may be thrown: a failure counts among what was dropped.
    void end_range_or_note() noexcept;

    // Ends the recording. An end of a range that failed counts among what was dropped: calls after
    // it are recorded within a range that had ended. Requires: the device has done its work, no
    // range is open.
    Trace finish();

private:
    ActivityCalls& calls_;
    std::vector<TraceRange> ranges_;
    std::vector<std::uint64_t> open_;  // from the outermost to the innermost
    std::uint64_t failed_ends_ = 0;
};

// The range around what is done while it lives.
class TracedRange {
public:
    explicit TracedRange(Tracer& tracer, std::optional<Task> task = {})
        : tracer_(tracer), id_(tracer.begin_range(task)) {}
    TracedRange(const TracedRange&) = delete;
    TracedRange& operator=(const TracedRange&) = delete;
    ~TracedRange() { tracer_.end_range_or_note(); }
    std::uint64_t id() const { return id_; }

private:
    Tracer& tracer_;
    std::uint64_t id_;
};

}  // namespace strata::cuda
