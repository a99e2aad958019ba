// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The modules of a network for which a recording has ranges. Operators within a module's range
// are work of that module's layers, and operators outside are not: a range bounds the possible
// layers.
class RecordedRanges {
public:
    // Requires: the graph outlives it. `scopes`: the ranges around the recorded operators.
    RecordedRanges(const Graph& graph, const std::set<std::string_view>& scopes);

    // The innermost module, or layer, of the network that a scope lies in, as a path: "layers.0.n2"
    // of "Net/layers.0.n2/add". Empty: none.
    std::string module_of(std::string_view scope) const;

    // The innermost module with a range that a layer lies in. Empty: none.
    const std::string& bound_of(LayerId layer) const { return bounds_[layer]; }

    // The layer of a module's range: the only one in the module, or that of its path if all others
    // in it have their own ranges; else nothing.
    std::optional<LayerId> only_layer_of(const std::string& module) const;

    // Whether layers lie below the path.
    bool has_parts(const std::string& module) const { return modules_.contains(module); }

private:
    std::string above_of(std::string_view path) const;
    std::string longest_known(std::string_view path) const;

    std::map<std::string, std::set<LayerId>> layers_ = {};   // by path, the layers at it
    std::map<std::string, std::set<LayerId>> modules_ = {};  // by path, the layers below it
    std::vector<std::string> bounds_ = {};
};

}  // namespace strata
