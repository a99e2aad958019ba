// SPDX-License-Identifier: MIT
#include "trace/range_tree.h"

namespace strata {

RangeTree::RangeTree(std::span<const TraceRange> ranges) {
    for (const TraceRange& range : ranges) {
        by_id_.emplace(range.id, &range);
    }
}

std::optional<Task> RangeTree::task_of(std::uint64_t id) const {
    std::optional<Task> task;
    walk_outwards(id, [&](const TraceRange& range) {
        task = range.task;
        return task.has_value();
    });
    return task;
}

bool RangeTree::encloses(std::uint64_t outer, std::uint64_t inner) const {
    return walk_outwards(inner, [&](const TraceRange& range) { return range.id == outer; });
}

bool RangeTree::walk_outwards(std::uint64_t id,
                              const std::function<bool(const TraceRange&)>& visit) const {
    for (std::size_t steps = 0; steps < by_id_.size(); ++steps) {
        const auto found = by_id_.find(id);
        if (found == by_id_.end()) {
            return false;
        }
        if (visit(*found->second)) {
            return true;
        }
        id = found->second->parent;
    }
    return false;
}

}  // namespace strata
