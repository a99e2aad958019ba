// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace strata {

// The ranges of a trace, each within its parent.
class RangeTree {
public:
    // Requires: `ranges` outlive it.
    explicit RangeTree(std::span<const TraceRange> ranges);

    bool knows(std::uint64_t id) const { return by_id_.contains(id); }

    // The task of the range, or of the nearest enclosing one that has one.
    std::optional<Task> task_of(std::uint64_t id) const;

    // Whether `inner` is `outer` or is nested within it.
    bool encloses(std::uint64_t outer, std::uint64_t inner) const;

private:
    // Visits the range and those that enclose it until `visit` says to stop; returns whether it
    // did. Records may be broken, so a cycle of parents also ends it.
    bool walk_outwards(std::uint64_t id, const std::function<bool(const TraceRange&)>& visit) const;

    std::unordered_map<std::uint64_t, const TraceRange*> by_id_;
};

// Why a span is attributed to its task, or to none.
enum class Evidence {
    call,           // its call was made within the task's range
    node,           // the graph node that launched it was captured there
    no_record,      // its call was made outside all ranges, or its record was dropped
    unknown_node,   // its graph node has no record
    unknown_range,  // its recorded range is unknown
    no_task,        // neither the range nor any enclosing one is a layer's
    two_tasks,      // its call was made within ranges of different layers or passes
};
inline constexpr std::array<std::string_view, 7> names_of(Evidence) {
    return {"call",          "graph node", "no record", "unknown node",
            "unknown range", "no layer",   "two layers"};
}

// The layer and pass to which a span belongs.
struct Attribution {
    std::optional<Task> task = {};  // nothing: unattributed, and `evidence` says why
    std::uint64_t range = 0;        // the innermost range; 0: none known
    Evidence evidence = Evidence::no_record;
};

// One attribution for each span of the trace, in its order, by identity alone: the graph node that
// launched the span, otherwise the correlation of its call. Names decide nothing: layers with
// equally named kernels stay apart, and a span without a record is never given to a likely layer.
std::vector<Attribution> attribute(const Trace& trace);

}  // namespace strata
