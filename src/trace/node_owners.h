// SPDX-License-Identifier: MIT
#pragma once

#include "trace/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

namespace strata {

// In which range each node of a graph was captured, found through any number of copies.
class NodeOwners {
public:
    NodeOwners(std::span<const NodeInRange> nodes, std::span<const NodeCopy> copies);

    // The range of a node, or of what it is a copy of. Nothing for a node that no range was
    // recorded for, or whose copies go round in a circle.
    std::optional<std::uint64_t> range_of(std::uint64_t node) const;

private:
    std::unordered_map<std::uint64_t, std::uint64_t> range_of_node_;
    std::unordered_map<std::uint64_t, std::uint64_t> original_of_;
};

}  // namespace strata
