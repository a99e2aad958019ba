// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "record/options.h"

#include <span>
#include <string_view>
#include <vector>

namespace strata {

// One thing that a framework leaves to its user and that changes its time: convolution algorithm,
// layout, fusion or compilation, threads, the first layer's gradient (Kim et al. 2017, section IV),
// and options of its own.
struct Choice {
    std::string_view option;  // of all_options()
    std::string_view value;   // instead of the default
    // The backends that have it; empty: all whose capabilities allow the value.
    std::vector<std::string_view> backends = {};
    bool is_of_convolutions = false;  // nothing changes in a network without any
};

// THE list of choices that `strata study frameworks` measures.
std::span<const Choice> all_choices();

// Those that a backend has and that change something about these settings of this network: none
// that is set there already, no gradient in inference, one thread only where there would be more,
// convolutions' only where there are some.
std::vector<Choice> choices_of(std::string_view backend, Capabilities capabilities,
                               const Settings& settings, const Graph& graph);

}  // namespace strata
