// SPDX-License-Identifier: MIT
#pragma once

#include "backend/cuda/cupti/activity_calls.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace strata::cuda {

// Records the device's work from here until `finish`, and the range of host calls that each piece
// belongs to. Graphs whose work is to be attributed must be captured during its lifetime.
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

    // Opens a range within the current one, or closes the innermost. A range without a task belongs
    // to the task of the enclosing range. Returns the range's id.
    std::uint64_t begin_range(std::optional<Task> task = {});
    void end_range();
    // For use where nothing may throw: a failure is counted as a dropped record.
    void end_range_or_note() noexcept;

    // Ends the recording. A range whose end failed counts as dropped, because later calls were
    // recorded within it. Requires: the device is idle, no range is open.
    Trace finish();

private:
    ActivityCalls& calls_;
    std::vector<TraceRange> ranges_;
    std::vector<std::uint64_t> open_;  // outermost to innermost
    std::uint64_t failed_ends_ = 0;
};

// A scope guard for a range.
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
