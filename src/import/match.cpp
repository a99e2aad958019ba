// SPDX-License-Identifier: MIT
#include "import/layers.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <tuple>

namespace strata {

namespace {

// The name by type_of_operator.
std::string type_in_network(const Op& op) {
    const std::string type(type_of(op));
    if (type == "matmul" || type == "fully_connected") {
        return "product";
    }
    if (type == "activation" || type == "elementwise" || type == "unary" || type == "reduction") {
        const std::string kind = kind_of(op);
        return kind == "gelu_tanh" ? "gelu" : kind == "reduce_mean" ? "average_pooling" : kind;
    }
    if (type == "pooling") {
        return kind_of(op).ends_with("max_pooling") ? "max_pooling" : "average_pooling";
    }
    return type;
}

double elements_of(const Operand& operand) {
    return static_cast<double>(operand.tensor.elements());
}

// Whether a recorded operator can be the layer, by the sizes of its first activation and its
// weights. Tools order operands differently.
bool has_size(const Graph& graph, const Layer& layer, const std::vector<double>& recorded) {
    const Signature signature = signature_of(graph, layer);
    const auto is_recorded = [&](const Operand& operand) {
        return std::ranges::find(recorded, elements_of(operand)) != recorded.end();
    };
    const auto weights = std::ranges::find(signature.inputs, Role::parameter, &Operand::role);
    const bool needs_weights = weights != signature.inputs.end() && recorded.size() > 1;
    return !signature.inputs.empty() && is_recorded(signature.inputs.front()) &&
           (!needs_weights || is_recorded(*weights));
}

class Matcher {
public:
    Matcher(const Graph& graph, const RecordedRanges& ranges)
        : graph_(graph), ranges_(ranges), used_(graph.layers.size()) {
        for (LayerId id = 0; id < graph.layers.size(); ++id) {
            const Layer& layer = graph.layers[id];
            types_.push_back(type_in_network(layer.op));
            for (const std::string& name : {layer.name, layer.alias}) {
                if (!name.empty()) {
                    names_.emplace(name, id);
                }
            }
        }
    }

    std::vector<LayerMatch> match(const std::vector<LayerTraits>& recorded) {
        std::vector<LayerMatch> matches;
        for (const LayerTraits& traits : recorded) {
            modules_.push_back(module_of(traits));
            matches.push_back(by_name(traits, modules_.back()));
            if (matches.back().layer) {
                used_[*matches.back().layer] = true;
            }
        }
        match_in_order(recorded, matches,
                       [](const std::string& module) { return !module.empty(); });
        // Operators outside ranges run between those inside: so do their layers in the network.
        match_in_order(recorded, matches, [](const std::string& module) { return module.empty(); });
        match_the_rest(recorded, matches);
        match_kernels(recorded, matches);
        return matches;
    }

private:
    // (A fused node has the name of its last part: a ReLU's range contains no
    // convolution.)
    std::string module_of(const LayerTraits& traits) const {
        std::string module = ranges_.module_of(traits.path);
        const auto only = ranges_.only_layer_of(module);
        return only && is_heavy(traits.type) && !is_heavy(types_[*only]) ? "" : module;
    }

    LayerMatch by_name(const LayerTraits& traits, const std::string& module) const {
        if (const auto found = names_.find(traits.path);
            found != names_.end() && !ranges_.has_parts(module)) {
            return {found->second, AttributedBy::name};
        }
        const auto only = ranges_.only_layer_of(module);
        return only ? LayerMatch{only, AttributedBy::module_path} : LayerMatch{};
    }

    // The layers from the first one to just before the second.
    using Between = std::pair<LayerId, LayerId>;

    // Whether an operator in a module can be the layer: only in the layer's own range.
    bool is_free(LayerId id, const std::string& module, const Between& between) const {
        return !used_[id] && ranges_.bound_of(id) == module && id >= between.first &&
               id < between.second;
    }

    template <class IsWanted>
    void match_in_order(const std::vector<LayerTraits>& recorded, std::vector<LayerMatch>& matches,
                        IsWanted&& is_wanted) {
        const std::vector<Between> between = places_between(matches);
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            if (!matches[i].layer && !recorded[i].type.empty() && is_wanted(modules_[i])) {
                matches[i] = in_order(recorded[i], modules_[i], between[i]);
            }
        }
    }

    // The layers found by their ranges between which each recorded one ran; the first and the last
    // if these ran in another order than the network's.
    std::vector<Between> places_between(const std::vector<LayerMatch>& matches) const {
        const auto count = static_cast<LayerId>(types_.size());
        std::vector<Between> places(matches.size(), {0, count});
        LayerId after = 0;
        for (std::size_t i = 0; i < matches.size(); ++i) {
            after = is_placed(i, matches) ? *matches[i].layer + 1 : after;
            places[i].first = after;
        }
        LayerId before = count;
        for (std::size_t i = matches.size(); i-- > 0;) {
            before = is_placed(i, matches) ? *matches[i].layer : before;
            places[i].second = before;
            if (places[i].first > places[i].second) {
                places[i] = {0, count};
            }
        }
        return places;
    }

    bool is_placed(std::size_t i, const std::vector<LayerMatch>& matches) const {
        return matches[i].layer && !modules_[i].empty();
    }

    // Tools pad and join operands, and then no size agrees. If equally many of a type are left on
    // both sides, in a module or between two, they are the same ones.
    void match_the_rest(const std::vector<LayerTraits>& recorded,
                        std::vector<LayerMatch>& matches) {
        std::map<std::tuple<std::string, Between, std::string>, std::vector<std::size_t>> left;
        const std::vector<Between> between = places_between(matches);
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            if (!matches[i].layer && !recorded[i].type.empty()) {
                const Between all = {0, static_cast<LayerId>(types_.size())};
                left[{modules_[i], modules_[i].empty() ? between[i] : all, recorded[i].type}]
                    .push_back(i);
            }
        }
        for (const auto& [place, of_type] : left) {
            pair_up(of_type,
                    free_layers(std::get<0>(place), std::get<1>(place), std::get<2>(place)),
                    matches);
        }
    }

    // The remaining layers of a type in a module, between two layers; an empty type matches any.
    std::vector<LayerId> free_layers(const std::string& module, const Between& between,
                                     const std::string& type) const {
        std::vector<LayerId> layers;
        for (LayerId id = 0; id < types_.size(); ++id) {
            if ((type.empty() || types_[id] == type) && is_free(id, module, between)) {
                layers.push_back(id);
            }
        }
        return layers;
    }

    void pair_up(const std::vector<std::size_t>& recorded, const std::vector<LayerId>& layers,
                 std::vector<LayerMatch>& matches) {
        for (std::size_t i = 0; recorded.size() == layers.size() && i < layers.size(); ++i) {
            matches[recorded[i]] = {layers[i], AttributedBy::order};
            used_[layers[i]] = true;
        }
    }

    // Kernels have no kind. If as many run in a module's range as it has layers left, they match
    // these.
    void match_kernels(const std::vector<LayerTraits>& recorded, std::vector<LayerMatch>& matches) {
        std::map<std::string, std::vector<std::size_t>> left;
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            if (!matches[i].layer && recorded[i].is_forward && !modules_[i].empty()) {
                left[modules_[i]].push_back(i);
            }
        }
        for (const auto& [module, kernels] : left) {
            const bool tell_no_type = std::ranges::all_of(
                kernels, [&](std::size_t i) { return recorded[i].type.empty(); });
            if (tell_no_type) {
                pair_up(kernels, free_layers(module, {0, static_cast<LayerId>(types_.size())}, ""),
                        matches);
            }
        }
    }

    LayerMatch in_order(const LayerTraits& traits, const std::string& module,
                        const Between& between) {
        const std::vector<double> elements = elements_in(traits.shape);
        for (LayerId id = 0; id < types_.size(); ++id) {
            if (types_[id] == traits.type && is_free(id, module, between) &&
                (elements.empty() || has_size(graph_, graph_.layers[id], elements))) {
                used_[id] = true;
                return {id, elements.empty() ? AttributedBy::order : AttributedBy::shape};
            }
        }
        return {};
    }

    const Graph& graph_;
    const RecordedRanges& ranges_;
    std::vector<bool> used_;
    std::vector<std::string> types_ = {};
    std::map<std::string, LayerId> names_ = {};
    std::vector<std::string> modules_ = {};  // module of each recorded layer
};

}  // namespace

std::string normalised_path(std::string_view path) {
    std::vector<std::string> parts;
    for (const std::string_view part : split(path, '/')) {
        std::string lower(part);
        std::ranges::transform(lower, lower.begin(), [](char c) {
            return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        });
        if (lower.empty()) {
            continue;
        }
        if (!parts.empty() && lower.starts_with(parts.back() + ".")) {
            parts.back() = lower;
        } else {
            parts.push_back(lower);
        }
    }
    return join(parts, ".");
}

std::vector<double> elements_in(std::string_view shape) {
    std::vector<double> all;
    for (const std::string_view operand : split(shape, ' ')) {
        double count = operand.empty() ? 0 : 1;
        for (const std::string_view extent : split(operand, 'x')) {
            count *= parse_number(extent).value_or(0);
        }
        if (count > 0) {
            all.push_back(count);
        }
    }
    return all;
}

std::vector<LayerMatch> match_layers(const std::vector<LayerTraits>& recorded, const Graph& graph,
                                     const RecordedRanges& ranges) {
    return Matcher(graph, ranges).match(recorded);
}

}  // namespace strata
