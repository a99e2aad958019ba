// SPDX-License-Identifier: MIT
#include "import/layers.h"

#include "base/text.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace strata {

namespace {

// As type_of_operator names it.
std::string type_in_network(const Op& op) {
    const std::string type(type_of(op));
    if (type == "matmul" || type == "fully_connected") {
        return "product";
    }
    if (type == "activation") {
        const std::string kind = kind_of(op);
        return kind == "gelu_tanh" ? "gelu" : kind;
    }
    if (type == "pooling") {
        return kind_of(op).ends_with("max_pooling") ? "max_pooling" : "average_pooling";
    }
    return type;
}

double elements_of(const Operand& operand) {
    return static_cast<double>(operand.tensor.elements());
}

// Whether a recorded operator can be the layer by the sizes of its first activation and its
// weights. The tools order operands in different ways.
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

// "conv1_1" of Keras is the layer conv1.
std::string without_numbers(std::string_view path) {
    std::vector<std::string> parts;
    for (std::string_view part : split(path, '.')) {
        const auto end = part.find_last_not_of("0123456789");
        if (end != part.npos && end > 0 && end + 1 < part.size() && part[end] == '_') {
            part = part.substr(0, end);
        }
        parts.emplace_back(part);
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

class Matcher {
public:
    explicit Matcher(const Graph& graph) : graph_(graph), used_(graph.layers.size()) {
        for (LayerId id = 0; id < graph.layers.size(); ++id) {
            const Layer& layer = graph.layers[id];
            types_.push_back(type_in_network(layer.op));
            for (const std::string& name : {layer.name, layer.alias}) {
                if (!name.empty()) {
                    names_.emplace(name, id);
                    add_path(normalised_path(name), id);
                }
            }
        }
    }

    std::vector<LayerMatch> match(const std::vector<LayerTraits>& recorded) {
        std::vector<LayerMatch> matches;
        for (const LayerTraits& traits : recorded) {
            matches.push_back(by_name(traits));
            if (matches.back().layer) {
                used_[*matches.back().layer] = true;
            }
        }
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            if (!matches[i].layer && !recorded[i].type.empty()) {
                matches[i] = in_order(recorded[i]);
            }
        }
        match_the_rest(recorded, matches);
        return matches;
    }

private:
    // A path that two layers share names neither.
    void add_path(const std::string& path, LayerId id) {
        const auto [found, is_new] = paths_.emplace(path, id);
        if (!is_new && found->second != id) {
            found->second = std::nullopt;
        }
        const std::string module(without_last(path));
        if (!module.empty()) {
            modules_[module].push_back(id);
        }
    }

    LayerMatch by_name(const LayerTraits& traits) const {
        if (traits.path.empty()) {
            return {};
        }
        if (const auto found = names_.find(traits.path); found != names_.end()) {
            return {found->second, AttributedBy::name};
        }
        const std::string path = normalised_path(traits.path);
        const std::string plain = without_numbers(path);
        for (const std::string& candidate :
             {path, plain, std::string(without_first(path)), std::string(without_first(plain)),
              std::string(without_last(path))}) {
            if (const auto layer = at_path(candidate, traits.type)) {
                return {layer, AttributedBy::module_path};
            }
        }
        return {};
    }

    // The layer of that path, or the module's only layer of that type.
    std::optional<LayerId> at_path(const std::string& path, const std::string& type) const {
        if (path.empty()) {
            return {};
        }
        if (const auto found = paths_.find(path);
            found != paths_.end() && found->second &&
            (type.empty() || types_[*found->second] == type)) {
            return found->second;
        }
        const auto module = modules_.find(path);
        std::optional<LayerId> only;
        for (const LayerId id :
             module == modules_.end() ? std::vector<LayerId>() : module->second) {
            if (types_[id] == type) {
                if (only) {
                    return {};
                }
                only = id;
            }
        }
        return only;
    }

    // Tools pad and join operands, and then no size agrees. Where as many of a type are left on
    // both sides, they are the same ones.
    void match_the_rest(const std::vector<LayerTraits>& recorded,
                        std::vector<LayerMatch>& matches) {
        std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<LayerId>>> left;
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            if (!matches[i].layer && !recorded[i].type.empty()) {
                left[recorded[i].type].first.push_back(i);
            }
        }
        for (LayerId id = 0; id < types_.size(); ++id) {
            if (const auto found = left.find(types_[id]); !used_[id] && found != left.end()) {
                found->second.second.push_back(id);
            }
        }
        for (const auto& [type, sides] : left) {
            for (std::size_t i = 0;
                 sides.first.size() == sides.second.size() && i < sides.first.size(); ++i) {
                matches[sides.first[i]] = {sides.second[i], AttributedBy::order};
            }
        }
    }

    LayerMatch in_order(const LayerTraits& traits) {
        const std::vector<double> elements = elements_in(traits.shape);
        for (LayerId id = 0; id < types_.size(); ++id) {
            if (!used_[id] && types_[id] == traits.type &&
                (elements.empty() || has_size(graph_, graph_.layers[id], elements))) {
                used_[id] = true;
                return {id, elements.empty() ? AttributedBy::order : AttributedBy::shape};
            }
        }
        return {};
    }

    const Graph& graph_;
    std::vector<bool> used_;
    std::vector<std::string> types_ = {};
    std::map<std::string, LayerId> names_ = {};
    std::map<std::string, std::optional<LayerId>> paths_ = {};
    std::map<std::string, std::vector<LayerId>> modules_ = {};
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

std::vector<LayerMatch> match_layers(const std::vector<LayerTraits>& recorded, const Graph& graph) {
    return Matcher(graph).match(recorded);
}

}  // namespace strata
