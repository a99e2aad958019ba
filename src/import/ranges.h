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

// Which modules of a network a recording has ranges of. What runs within a module's range is work
// of that module's layers, and what runs outside of it is not: a range bounds what its layers may
// be.
class RecordedRanges {
public:
    // Requires: the graph outlives it. `scopes`: the ranges around the recorded operators.
    RecordedRanges(const Graph& graph, const std::set<std::string_view>& scopes);

    // The innermost module, or layer, of the network that a scope lies in, as a path: "layers.0.n2"
    // of "Net/layers.0.n2/add". Empty: it lies in none.
    std::string module_of(std::string_view scope) const;

    // The innermost module with a range that a layer lies in. Empty: it lies in none.
    const std::string& bound_of(LayerId layer) const { return bounds_[layer]; }

    // The layer that a range of the module is: the only one in the module, or that of its path if
    // all others in it have ranges of their own; else nothing.
    std::optional<LayerId> only_layer_of(const std::string& module) const;

    // Whether layers lie below the path.
    bool has_parts(const std::string& module) const { return modules_.contains(module); }

private:
    std::string above_of(std::string_view path) const;
    std::string longest_known(std::string_view path) const;

    std::map<std::string, std::set<LayerId>> layers_ = {};   // by path, those at it
    std::map<std::string, std::set<LayerId>> modules_ = {};  // by path, those below it
    std::vector<std::string> bounds_ = {};
};

}  // namespace strata
