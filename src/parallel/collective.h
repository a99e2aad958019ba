// SPDX-License-Identifier: MIT
#pragma once

#include "base/quantity.h"

#include <array>
#include <optional>
#include <string_view>

namespace strata {

// What devices do with a message together. Its bytes are those that a device holds when all parts
// are together: the whole vector of an all-reduce, the gathered result, what is scattered.
enum class Collective { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast };
inline constexpr std::array<std::string_view, 5> names_of(Collective) {
    return {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"};
}

// In which order devices send the parts: to the next one in a ring; along a binomial tree to the
// root and back; to a partner at twice the distance each time; to all others at once.
enum class CollectiveAlgorithm { ring, tree, recursive_doubling, direct };
inline constexpr std::array<std::string_view, 4> names_of(CollectiveAlgorithm) {
    return {"ring", "tree", "recursive-doubling", "direct"};
}
inline constexpr std::array all_collective_algorithms = {
    CollectiveAlgorithm::ring, CollectiveAlgorithm::tree, CollectiveAlgorithm::recursive_doubling,
    CollectiveAlgorithm::direct};

// The cost of a message between two devices, by Hockney's model with a term for sums: alpha + bytes
// x beta + bytes x gamma.
struct LinkCost {
    Seconds latency;                     // alpha
    Bandwidth bandwidth;                 // 1 / beta, of each device in each direction
    std::optional<Bandwidth> root = {};  // shared by all messages at one time; nothing: no limit
    std::optional<Bandwidth> reduction = {};  // 1 / gamma; nothing: sums take no time
};

// The time of a collective by an algorithm (Thakur, Rabenseifner and Gropp 2005, table 2, with
// the term for a shared root); nothing if the algorithm does not do it, or not with so many
// devices. Requires: at least one device; a single one has nothing to send.
std::optional<Seconds> time_of(Collective collective, CollectiveAlgorithm algorithm, int devices,
                               Bytes bytes, const LinkCost& link);

}  // namespace strata
