// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The size of a network by the quantities with which ParaDnn compares generated and real networks.
enum class SizeQuantity {
    parameters,  // trained values
    operations,  // of a forward pass, per example
    intensity,   // operations over compulsory traffic of all layers, forward, in FLOP/B
};
inline constexpr std::array<std::string_view, 3> names_of(SizeQuantity) {
    return {"parameters", "operations", "intensity"};
}

struct NetworkSize {
    std::string name;
    std::array<double, 3> values = {};  // by SizeQuantity
    double of(SizeQuantity quantity) const { return values[static_cast<std::size_t>(quantity)]; }
};
NetworkSize size_of(const Graph& graph);

// Networks that are summarised together: a grid's, or the zoo's.
struct SizedNetworks {
    std::string name;
    std::vector<NetworkSize> networks = {};  // not empty
};

// For one quantity: the 0, 9, 50, 91 and 100th percentile, and the share of other networks between
// the ends.
struct SizeRange {
    std::array<double, 5> percentiles = {};
    double covered = 0;  // share of the others
};
SizeRange range_of(const SizedNetworks& group, SizeQuantity quantity, const SizedNetworks& others);

}  // namespace strata
