// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"
#include "graph/schedule.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// Time stamps and durations of a device's clock, in whole nanoseconds, because a stamp since 1970
// has more digits than a double.
using Nanoseconds = std::chrono::nanoseconds;

constexpr Seconds seconds_of(Nanoseconds time) {
    return {static_cast<double>(time.count()) * 1e-9};
}

// The kinds of work of a device.
enum class SpanKind { kernel, copy, fill };
inline constexpr std::array<std::string_view, 3> names_of(SpanKind) {
    return {"kernel", "copy", "fill"};
}

// The extent of a launch along its three axes.
struct LaunchExtent {
    std::uint32_t x = 1;
    std::uint32_t y = 1;
    std::uint32_t z = 1;

    bool operator==(const LaunchExtent&) const = default;
};

// The shape with which a kernel was launched, and the multiprocessor resources that each of its
// blocks uses.
struct LaunchShape {
    LaunchExtent grid = {};       // blocks
    LaunchExtent block = {};      // threads of a block
    std::uint32_t registers = 0;  // per thread
    Bytes static_shared = {};     // per block
    Bytes dynamic_shared = {};    // per block

    bool operator==(const LaunchShape&) const = default;
};

// One piece of work on a device, as a tracer recorded it: a kernel, a copy, a fill.
struct Span {
    SpanKind kind = SpanKind::kernel;
    std::string name = {};  // in full, with template arguments; for a copy its direction
    std::uint32_t device = 0;
    std::uint32_t stream = 0;
    Nanoseconds start = {};  // by the device's clock; 0 if no stamp could be taken
    Nanoseconds end = {};
    std::uint32_t correlation = 0;           // of the call that launched it; 0: not recorded
    std::uint64_t graph_node = 0;            // node that launched it; 0: not part of a graph launch
    std::optional<LaunchShape> launch = {};  // of kernels only
    std::optional<Bytes> bytes = {};         // of copies and fills only

    bool operator==(const Span&) const = default;
};

// Whether its stamps are plausible: both taken, in order, and less than an hour apart (tracers
// occasionally record garbage, and one such span would dwarf all others).
bool is_timed(const Span& span);

// Requires: is_timed.
Nanoseconds duration_of(const Span& span);

// A period of the host's calls with an identity: a layer's pass, a part of one, or something that
// encloses several (the iteration). A range without a task has the task of the nearest enclosing
// range that has one.
struct TraceRange {
    std::uint64_t id = 0;      // never 0
    std::uint64_t parent = 0;  // the range around it; 0: none
    std::optional<Task> task = {};
};

// A call was made within a range: CUPTI's external correlation.
struct CallInRange {
    std::uint32_t correlation = 0;  // the call's
    std::uint64_t range = 0;
};

// A node of a graph was captured within a range.
struct NodeInRange {
    std::uint64_t node = 0;
    std::uint64_t range = 0;
};

// A node is a copy of another: instantiating a graph copies each.
struct NodeCopy {
    std::uint64_t node = 0;
    std::uint64_t original = 0;
};

// What a tracer recorded while a device worked, in no particular order: buffers arrive as they
// fill.
struct Trace {
    std::vector<Span> spans = {};
    std::vector<TraceRange> ranges = {};
    std::vector<CallInRange> calls = {};
    std::vector<NodeInRange> nodes = {};
    std::vector<NodeCopy> copies = {};
    std::uint64_t dropped = 0;  // records that the tracer lost; if any, every sum is a lower bound
};

}  // namespace strata
