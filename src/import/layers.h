// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"
#include "import/iterations.h"
#include "import/ranges.h"
#include "import/recording.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata {

// By what an operator of a recording is attributed to a layer.
enum class AttributedBy {
    name,             // the layer's own name
    module_path,      // the name of the module or range around it
    operator_itself,  // it is a layer of its own
    shape,            // the layer is the next one of its kind with operands of this size
    order,            // the layer is the next one of its kind; the file has no shapes
    neighbour,        // the layer of the operator after it, which needs the reordered values
    gradient,         // the layer whose gradient the tool says it computes
    nothing,          // unattributed
};
inline constexpr std::array<std::string_view, 8> names_of(AttributedBy) {
    return {"name",      "module path", "operator", "operator and shape", "operator and order",
            "neighbour", "gradient of", "nothing"};
}

// A layer's part of a recording, or what belongs to none.
struct AttributedLayer {
    std::string name = {};              // "conv1"; "unattributed: aten::copy_"
    std::optional<LayerId> layer = {};  // of the network, where one was given
    AttributedBy by = AttributedBy::nothing;
};

// To which of the layers each operator belongs, by its place; nothing outside of all iterations.
struct LayerAttribution {
    std::vector<AttributedLayer> layers = {};  // in the order of their first operators
    std::vector<std::optional<std::uint32_t>> of_operator = {};
    std::vector<AttributedBy> by = {};  // of each operator
};

// The operators of a module, and each operator outside of a module that is no part of another
// layer, are layers. With a network a module is one layer only if it is one there, and all are
// matched with its layers within the ranges that bound them (match_layers); what is left is
// unattributed. `graph` may be null.
LayerAttribution attribute_layers(const RecordedProfile& recording,
                                  const RecordedIterations& iterations, const Graph* graph);

// The operator of strata that a tool's operator is: "convolution" of "aten::conv2d" and "Conv";
// empty where it is none or too vague.
std::string_view type_of_operator(std::string_view name);

// Whether operators of such a type take most of a network's time.
bool is_heavy(std::string_view type);

// What a recording says of one of its layers, for finding it in a network.
struct LayerTraits {
    std::string path = {};   // of the modules around it, or the node's name; or nothing
    std::string type = {};   // of its heaviest operator (type_of_operator); or nothing
    std::string shape = {};  // of that operator's operands; or nothing
    bool is_forward = true;  // it has an operator that is none of a gradient or update
};

struct LayerMatch {
    std::optional<LayerId> layer = {};
    AttributedBy by = AttributedBy::nothing;
};

// The network's layer of each, in their order: by name; then, of what runs in a module's range,
// among the layers that it bounds, and of what runs in none, among those that none bounds: by kind
// and shape, and by kind and order.
std::vector<LayerMatch> match_layers(const std::vector<LayerTraits>& recorded, const Graph& graph,
                                     const RecordedRanges& ranges);

// A path without what tools add to it: "layer1.0.conv1" of "/layer1/layer1.0/conv1".
std::string normalised_path(std::string_view path);

// How many elements the operands of a shape "4x3x16x16 8x3x3x3" have.
std::vector<double> elements_in(std::string_view shape);

}  // namespace strata
