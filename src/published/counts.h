// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "published/reproduction.h"

#include <map>
#include <utility>

namespace strata {

// Networks that numbers of one reproduction share, each made once.
class CountedNetworks {
public:
    // Whatever load_network takes, or one of published_networks. Throws Error where there is none
    // of that name.
    const Graph& get(const std::string& network, std::optional<std::int64_t> batch);

private:
    std::map<std::pair<std::string, std::optional<std::int64_t>>, Graph> graphs_;
};

// The number requested, by THE list of what can be counted. Throws Error that names what is unknown
// or matches no layer.
double count(const Counted& counted, CountedNetworks& networks);

}  // namespace strata
