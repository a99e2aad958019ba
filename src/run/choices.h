// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "record/options.h"

#include <span>
#include <string_view>
#include <vector>

namespace strata {

// A choice that a framework leaves to its user and that changes its time: convolution algorithm,
// layout, fusion or compilation, threads, the first layer's gradient (Kim et al. 2017, section IV),
// and its own options.
struct Choice {
    std::string_view option;  // an option of all_options()
    std::string_view value;   // instead of the default
    // The backends that offer it; empty: all whose capabilities allow the value.
    std::vector<std::string_view> backends = {};
    bool is_of_convolutions = false;  // no effect on a network without convolutions
};

// THE list of choices measured by `strata study frameworks`.
std::span<const Choice> all_choices();

// The choices of a backend that change these settings of this network: none that is already set, no
// gradient in inference, one thread only if there would be more, convolutions' choices only if
// there are any.
std::vector<Choice> choices_of(std::string_view backend, Capabilities capabilities,
                               const Settings& settings, const Graph& graph);

}  // namespace strata
