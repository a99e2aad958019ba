// SPDX-License-Identifier: MIT
#include "trace/attribute.h"

#include "trace/trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace strata {

namespace {

// The range in which each node of a graph was captured, found through any number of copies.
class NodeOwners {
public:
    NodeOwners(std::span<const NodeInRange> nodes, std::span<const NodeCopy> copies);

    // The range of a node, or of the node that it is a copy of. Nothing if no range was recorded,
    // or if the copies form a cycle.
    std::optional<std::uint64_t> range_of(std::uint64_t node) const;

private:
    std::unordered_map<std::uint64_t, std::uint64_t> range_of_node_;
    std::unordered_map<std::uint64_t, std::uint64_t> original_of_;
};

NodeOwners::NodeOwners(std::span<const NodeInRange> nodes, std::span<const NodeCopy> copies) {
    for (const NodeInRange& node : nodes) {
        range_of_node_[node.node] = node.range;
    }
    for (const NodeCopy& copy : copies) {
        original_of_[copy.node] = copy.original;
    }
}

std::optional<std::uint64_t> NodeOwners::range_of(std::uint64_t node) const {
    for (std::size_t steps = 0; steps <= original_of_.size(); ++steps) {
        if (const auto range = range_of_node_.find(node); range != range_of_node_.end()) {
            return range->second;
        }
        const auto original = original_of_.find(node);
        if (original == original_of_.end()) {
            return {};
        }
        node = original->second;
    }
    return {};
}

}  // namespace

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

namespace {

class Attributor {
public:
    explicit Attributor(const Trace& trace)
        : ranges_(trace.ranges), owners_(trace.nodes, trace.copies) {
        for (const CallInRange& call : trace.calls) {
            ranges_of_call_[call.correlation].push_back(call.range);
        }
    }

    // All kernels of a graph launch share one call, so if a node is known, only the node counts.
    Attribution of(const Span& span) const {
        return span.graph_node != 0 ? by_node(span.graph_node) : by_call(span.correlation);
    }

private:
    Attribution by_node(std::uint64_t node) const {
        const auto range = owners_.range_of(node);
        return range ? within(*range, Evidence::node)
                     : Attribution{.evidence = Evidence::unknown_node};
    }

    Attribution by_call(std::uint32_t correlation) const {
        const auto found = ranges_of_call_.find(correlation);
        if (correlation == 0 || found == ranges_of_call_.end()) {
            return {.evidence = Evidence::no_record};
        }
        const std::uint64_t innermost = innermost_of(found->second);
        const Attribution attribution = within(innermost, Evidence::call);
        return agree(found->second, innermost, attribution)
                   ? attribution
                   : Attribution{.evidence = Evidence::two_tasks};
    }

    Attribution within(std::uint64_t range, Evidence evidence) const {
        if (!ranges_.knows(range)) {
            return {.evidence = Evidence::unknown_range};
        }
        const auto task = ranges_.task_of(range);
        return {.task = task, .range = range, .evidence = task ? evidence : Evidence::no_task};
    }

    // The range of a call that all its others enclose, if there is one; otherwise any.
    std::uint64_t innermost_of(const std::vector<std::uint64_t>& ranges) const {
        std::uint64_t innermost = ranges.front();
        for (const std::uint64_t range : ranges) {
            if (ranges_.encloses(innermost, range)) {
                innermost = range;
            }
        }
        return innermost;
    }

    // Whether every range of a call encloses the innermost or belongs to the same task.
    bool agree(const std::vector<std::uint64_t>& ranges, std::uint64_t innermost,
               const Attribution& attribution) const {
        return std::ranges::all_of(ranges, [&](std::uint64_t range) {
            return ranges_.encloses(range, innermost) ||
                   within(range, Evidence::call).task == attribution.task;
        });
    }

    RangeTree ranges_;
    NodeOwners owners_;
    std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> ranges_of_call_;
};

}  // namespace

std::vector<Attribution> attribute(const Trace& trace) {
    const Attributor attributor(trace);
    std::vector<Attribution> attributions;
    attributions.reserve(trace.spans.size());
    for (const Span& span : trace.spans) {
        attributions.push_back(attributor.of(span));
    }
    return attributions;
}

}  // namespace strata
