// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "published/reproduction.h"

#include <map>
#include <utility>

namespace strata {

// The networks shared by the numbers of one reproduction, each built once.
class CountedNetworks {
public:
    // Loads whatever load_network takes, or a PublishedNetwork. Throws Error if there is
    // none of that name.
    const Graph& get(const std::string& network, std::optional<std::int64_t> batch);

private:
    std::map<std::pair<std::string, std::optional<std::int64_t>>, Graph> graphs_;
};

// The requested number, by THE list of quantities. Throws Error, naming what is unknown or matches
// no layer.
double count(const Counted& counted, CountedNetworks& networks);

}  // namespace strata
