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

// The reason why an operator of a recording is attributed to a layer.
enum class AttributedBy {
    name,             // the layer's own name
    module_path,      // the name of the module or range around it
    operator_itself,  // it is a separate layer
    shape,            // the layer is the next one of its kind with operands of this size
    order,            // the layer is the next one of its kind; the file has no shapes
    neighbour,        // the layer of the operator after it, which needs the reordered values
    gradient,         // the layer whose gradient it computes, according to the tool
    nothing,          // unattributed
};
inline constexpr std::array<std::string_view, 8> names_of(AttributedBy) {
    return {"name",      "module path", "operator", "operator and shape", "operator and order",
            "neighbour", "gradient of", "nothing"};
}

// A layer of a recording, or operators that belong to none.
struct AttributedLayer {
    std::string name = {};              // "conv1"; "unattributed: aten::copy_"
    std::optional<LayerId> layer = {};  // in the network, if one was given
    AttributedBy by = AttributedBy::nothing;
};

// The layer of each operator, by operator index; nothing outside all iterations.
struct LayerAttribution {
    std::vector<AttributedLayer> layers = {};  // in the order of their first operators
    std::vector<std::optional<std::uint32_t>> of_operator = {};
    std::vector<AttributedBy> by = {};  // of each operator
};

// The operators of a module form a layer, and so does each operator outside modules that is not
// part of another layer. With a network, a module is one layer only if it is one there, and all are
// matched with its layers within the ranges that bound them (match_layers); the rest is
// unattributed. `graph` may be null.
LayerAttribution attribute_layers(const RecordedProfile& recording,
                                  const RecordedIterations& iterations, const Graph* graph);

// Strata's operator for a tool's operator: "convolution" for "aten::conv2d" and "Conv"; empty if
// there is none or it is too vague.
std::string_view type_of_operator(std::string_view name);

// Whether operators of such a type take most of a network's time.
bool is_heavy(std::string_view type);

// The properties of a recorded layer for finding it in a network.
struct LayerTraits {
    std::string path = {};   // name of the modules around it, or of the node; or nothing
    std::string type = {};   // type of its heaviest operator (type_of_operator); or nothing
    std::string shape = {};  // shape of that operator's operands; or nothing
    bool is_forward = true;  // it has an operator that is not of a gradient or update
};

struct LayerMatch {
    std::optional<LayerId> layer = {};
    AttributedBy by = AttributedBy::nothing;
};

// The network's layer for each, in their order: by name; then by kind and shape, and by kind and
// order. Operators in a module's range are matched with the layers that it bounds, others with the
// unbounded layers.
std::vector<LayerMatch> match_layers(const std::vector<LayerTraits>& recorded, const Graph& graph,
                                     const RecordedRanges& ranges);

// A path without the tools' additions: "layer1.0.conv1" of "/layer1/layer1.0/conv1".
std::string normalised_path(std::string_view path);

// The number of elements of operands of shape "4x3x16x16 8x3x3x3".
std::vector<double> elements_in(std::string_view shape);

}  // namespace strata
