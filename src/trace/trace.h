// SPDX-License-Identifier: MIT
#pragma once

#include "graph/schedule.h"
#include "trace/span.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace strata {

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
    std::uint64_t dropped = 0;  // records that the tracer lost: every sum is a lower bound then
};

}  // namespace strata
