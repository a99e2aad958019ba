// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "import/layers.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {

// What a recording says of one of its layers, for finding it in a network.
struct LayerTraits {
    std::string path = {};   // of the modules around it, or the node's name; or nothing
    std::string type = {};   // of its heaviest operator (type_of_operator); or nothing
    std::string shape = {};  // of that operator's operands; or nothing
};

struct LayerMatch {
    std::optional<LayerId> layer = {};
    AttributedBy by = AttributedBy::nothing;
};

// The network's layer of each, in their order.
std::vector<LayerMatch> match_layers(const std::vector<LayerTraits>& recorded, const Graph& graph);

// A path without what tools add to it: "layer1.0.conv1" of "/layer1/layer1.0/conv1".
std::string normalised_path(std::string_view path);

// How many elements the operands of a shape "4x3x16x16 8x3x3x3" have.
std::vector<double> elements_in(std::string_view shape);

}  // namespace strata
