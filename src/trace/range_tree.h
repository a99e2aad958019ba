// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

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

}  // namespace strata
