// SPDX-License-Identifier: MIT
#include "trace/node_owners.h"

#include <cstddef>

namespace strata {

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

}  // namespace strata
