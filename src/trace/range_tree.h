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

    // The task of the range, or of the nearest around it that has one.
    std::optional<Task> task_of(std::uint64_t id) const;

    // Whether `inner` is `outer` or lies within it.
    bool encloses(std::uint64_t outer, std::uint64_t inner) const;

private:
    // Visits the range and those around it until `visit` says to stop, and whether it did. Records
    // may be broken, so parents that go round in a circle end it too.
    bool walk_outwards(std::uint64_t id, const std::function<bool(const TraceRange&)>& visit) const;

    std::unordered_map<std::uint64_t, const TraceRange*> by_id_;
};

}  // namespace strata
