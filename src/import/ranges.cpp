// SPDX-License-Identifier: MIT
#include "import/ranges.h"

#include "import/layers.h"

#include "base/text.h"

#include <algorithm>
#include <iterator>

namespace strata {

namespace {

// "relu" for "relu_2".
std::string_view without_last_number(std::string_view part) {
    const auto end = part.find_last_not_of("0123456789");
    const bool has_number =
        end != part.npos && end > 0 && end + 1 < part.size() && part[end] == '_';
    return has_number ? part.substr(0, end) : part;
}

// "conv1_1" of Keras is the layer conv1.
std::string without_numbers(std::string_view path) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(path, '.')) {
        parts.emplace_back(without_last_number(part));
    }
    return join(parts, ".");
}

std::string_view without_first(std::string_view path) {
    const auto dot = path.find('.');
    return dot == path.npos ? std::string_view() : path.substr(dot + 1);
}

std::string_view without_last(std::string_view path) {
    const auto dot = path.rfind('.');
    return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

}  // namespace

RecordedRanges::RecordedRanges(const Graph& graph, const std::set<std::string_view>& scopes)
    : bounds_(graph.layers.size()) {
    std::vector<std::vector<std::string>> paths(graph.layers.size());
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        for (const std::string& name : {graph.layers[id].name, graph.layers[id].alias}) {
            if (!name.empty()) {
                paths[id].push_back(normalised_path(name));
                layers_[paths[id].back()].insert(id);
            }
        }
    }
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        for (const std::string& path : paths[id]) {
            for (std::string above = above_of(path); !above.empty(); above = above_of(above)) {
                modules_[above].insert(id);
            }
        }
    }
    std::set<std::string> recorded;
    for (const std::string_view scope : scopes) {
        recorded.insert(module_of(scope));
    }
    recorded.erase("");
    for (LayerId id = 0; id < graph.layers.size(); ++id) {
        for (const std::string& path : paths[id]) {
            for (std::string at = path; !at.empty(); at = above_of(at)) {
                if (at.size() > bounds_[id].size() && recorded.contains(at)) {
                    bounds_[id] = at;
                }
            }
        }
    }
}

// The second call of a module "relu" is the layer "relu_2", which belongs to it.
std::string RecordedRanges::above_of(std::string_view path) const {
    const std::string module(without_last_number(path));
    return module.size() < path.size() && layers_.contains(module)
               ? module
               : std::string(without_last(path));
}

std::string RecordedRanges::longest_known(std::string_view path) const {
    for (; !path.empty(); path = without_last(path)) {
        if (const std::string at(path); layers_.contains(at) || modules_.contains(at)) {
            return at;
        }
    }
    return {};
}

std::string RecordedRanges::module_of(std::string_view scope) const {
    const std::string path = normalised_path(scope);
    const std::string plain = without_numbers(path);
    for (const std::string_view candidate : {std::string_view(path), std::string_view(plain),
                                             without_first(path), without_first(plain)}) {
        if (std::string known = longest_known(candidate); !known.empty()) {
            return known;
        }
    }
    return {};
}

std::optional<LayerId> RecordedRanges::only_layer_of(const std::string& module) const {
    const auto at = layers_.find(module);
    const auto below = modules_.find(module);
    std::set<LayerId> all = at == layers_.end() ? std::set<LayerId>() : at->second;
    if (below != modules_.end()) {
        all.insert(below->second.begin(), below->second.end());
    }
    std::set<LayerId> bounded;
    std::ranges::copy_if(all, std::inserter(bounded, bounded.end()),
                         [&](LayerId id) { return bounds_[id] == module; });
    const bool is_only =
        bounded.size() == 1 && (all.size() == 1 || (at != layers_.end() && at->second == bounded));
    return is_only ? std::optional(*bounded.begin()) : std::nullopt;
}

}  // namespace strata
