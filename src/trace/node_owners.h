// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace strata {

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

}  // namespace strata
