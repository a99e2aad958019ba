// SPDX-License-Identifier: MIT
#include "import/layers.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

namespace strata {

namespace {

constexpr std::size_t max_layers = 100'000;
constexpr std::string_view unattributed_prefix = "unattributed: ";

// A layer as the recording alone describes it.
struct LocalLayer {
    std::string name = {};
    std::string path = {};       // the scope or node that may name it in a network
    std::string operation = {};  // the operator's own name
    AttributedBy by = AttributedBy::operator_itself;
    TextId heaviest = 0;  // operator
    TextId shape = 0;     // of that
    Nanoseconds time = {};
    bool is_forward = false;
};

class LayerAttributor {
public:
    LayerAttributor(const RecordedProfile& recording, const RecordedIterations& iterations,
                    const Graph* graph)
        : recording_(recording),
          iterations_(iterations),
          graph_(graph),
          ranges_(recorded_ranges()) {}

    LayerAttribution attribute() {
        const std::size_t count = recording_.operators.size();
        local_of_.resize(count);
        result_.of_operator.resize(count);
        result_.by.resize(count, AttributedBy::nothing);
        find_modules();
        for (std::uint32_t i = 0; i < count; ++i) {
            if (iterations_.of_operator[i] && is_own(i)) {
                place(i);
            }
        }
        iteration_.reset();
        for (std::uint32_t i = 0; i < count; ++i) {
            if (iterations_.of_operator[i] && !is_own(i)) {
                place_gradient(i);
            }
        }
        place_reorders();
        name_layers();
        return std::move(result_);
    }

private:
    const RecordedOperator& at(std::uint32_t i) const { return recording_.operators[i]; }
    std::string_view text(TextId id) const { return recording_.texts[id]; }

    // The operators placed by themselves: everything except gradients and reorders.
    bool is_own(std::uint32_t i) const {
        const bool is_gradient =
            at(i).pass == Pass::backward_data || at(i).pass == Pass::backward_weights;
        return !is_gradient && at(i).kind == StepKind::compute;
    }

    void find_modules();
    std::optional<RecordedRanges> recorded_ranges() const;
    void place(std::uint32_t i);
    void place_gradient(std::uint32_t i);
    void place_reorders();
    void give_reorders_to_neighbours(std::span<const std::uint32_t> order);
    void name_layers();
    std::vector<LayerMatch> matches() const;
    AttributedLayer layer_of(const LocalLayer& local, const LayerMatch& match) const;
    void assign(std::size_t i, std::uint32_t layer);
    std::uint32_t local_named(const std::string& name, const LocalLayer& made);
    std::string numbered(std::uint32_t i);

    const RecordedProfile& recording_;
    const RecordedIterations& iterations_;
    const Graph* graph_;
    std::optional<RecordedRanges> ranges_;
    std::set<TextId> modules_ = {};  // scopes whose operators are one layer
    std::vector<LocalLayer> locals_ = {};
    std::map<std::string, std::uint32_t> by_name_ = {};
    std::map<TextId, std::uint32_t> by_scope_ = {};
    std::map<std::pair<TextId, TextId>, std::size_t> seen_ = {};  // in the current iteration
    std::optional<std::size_t> iteration_ = {};
    std::vector<std::optional<std::uint32_t>> local_of_ = {};
    LayerAttribution result_ = {};
};

// A scope is a layer if it is a module of the network with one layer or, if the network has no such
// module, if it contains no scope and at most one heavy operator: a range around the whole network
// is not a layer.
void LayerAttributor::find_modules() {
    std::map<TextId, std::map<std::size_t, std::size_t>> heavy;  // by scope and iteration
    std::set<std::string> outer;
    for (std::uint32_t i = 0; i < recording_.operators.size(); ++i) {
        const RecordedOperator& one = at(i);
        if (one.scope == 0 || !iterations_.of_operator[i]) {
            continue;
        }
        const auto [scope, is_new] = heavy.try_emplace(one.scope);
        if (one.pass == Pass::forward && is_heavy(type_of_operator(text(one.name)))) {
            ++scope->second[*iterations_.of_operator[i]];
        }
        const std::string_view path = text(one.scope);
        for (auto end = path.find_first_of("./"); is_new && end != path.npos;
             end = path.find_first_of("./", end + 1)) {
            outer.emplace(path.substr(0, end));
        }
    }
    for (const auto& [scope, counts] : heavy) {
        const bool has_one = std::ranges::all_of(
            counts, [](const auto& iteration) { return iteration.second <= 1; });
        const bool is_inner = !outer.contains(std::string(text(scope)));
        const std::string module = ranges_ ? ranges_->module_of(text(scope)) : std::string();
        if (module.empty() ? is_inner && has_one : ranges_->only_layer_of(module).has_value()) {
            modules_.insert(scope);
        }
    }
}

std::optional<RecordedRanges> LayerAttributor::recorded_ranges() const {
    if (graph_ == nullptr) {
        return {};
    }
    std::set<std::string_view> scopes;
    for (std::uint32_t i = 0; i < recording_.operators.size(); ++i) {
        if (iterations_.of_operator[i]) {
            scopes.insert(text(at(i).scope));
        }
    }
    return RecordedRanges(*graph_, scopes);
}

// "scope/aten::relu#2" is the second of its name in the scope.
std::string LayerAttributor::numbered(std::uint32_t i) {
    if (iteration_ != iterations_.of_operator[i]) {
        iteration_ = iterations_.of_operator[i];
        seen_.clear();
    }
    const std::size_t number = ++seen_[{at(i).scope, at(i).name}];
    const std::string scope = at(i).scope == 0 ? "" : fmt::format("{}/", text(at(i).scope));
    return fmt::format("{}{}{}", scope, text(at(i).name),
                       number > 1 ? fmt::format("#{}", number) : "");
}

std::uint32_t LayerAttributor::local_named(const std::string& name, const LocalLayer& made) {
    const auto [found, is_new] = by_name_.emplace(name, static_cast<std::uint32_t>(locals_.size()));
    if (is_new) {
        if (locals_.size() == max_layers) {
            throw Error(
                fmt::format("an iteration of the recording has more than {} different operators; "
                            "give its number of iterations (--iterations)",
                            max_layers));
        }
        locals_.push_back(made);
        locals_.back().name = name;
    }
    return found->second;
}

void LayerAttributor::place(std::uint32_t i) {
    const RecordedOperator& one = at(i);
    const bool is_module = modules_.contains(one.scope);
    const std::string scope(text(one.scope));
    const std::uint32_t local =
        local_named(is_module ? scope : numbered(i),
                    {.path = scope,
                     .operation = std::string(text(one.name)),
                     .by = is_module ? AttributedBy::module_path : AttributedBy::operator_itself});
    LocalLayer& layer = locals_[local];
    const std::string_view type = type_of_operator(text(one.name));
    if (one.pass == Pass::forward && (layer.heaviest == 0 || is_heavy(type) ||
                                      (one.time > layer.time && !type.empty() &&
                                       !is_heavy(type_of_operator(text(layer.heaviest)))))) {
        layer.heaviest = one.name;
        layer.shape = one.shape;
        layer.time = one.time;
    }
    layer.is_forward = layer.is_forward || one.pass == Pass::forward;
    by_scope_.emplace(one.scope, local);
    local_of_[i] = local;
    result_.by[i] = layer.by;
}

void LayerAttributor::place_gradient(std::uint32_t i) {
    const RecordedOperator& one = at(i);
    if (one.kind != StepKind::compute) {
        return;
    }
    const auto scope = by_scope_.find(one.scope);
    if (one.forward != 0 && local_of_[one.forward - 1]) {
        local_of_[i] = local_of_[one.forward - 1];
        result_.by[i] = AttributedBy::gradient;
    } else if (one.scope != 0 && modules_.contains(one.scope) && scope != by_scope_.end()) {
        local_of_[i] = scope->second;
        result_.by[i] = AttributedBy::module_path;
    } else {
        const bool is_of_none = one.gives_both_gradients;  // autograd's own bookkeeping
        const std::string name(text(one.name));
        local_of_[i] = local_named(is_of_none ? name : numbered(i), {.operation = name});
        result_.by[i] = AttributedBy::operator_itself;
    }
}

// A reorder belongs to the next operator in its iteration, else to the previous one.
void LayerAttributor::place_reorders() {
    std::vector<std::uint32_t> order(recording_.operators.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::reverse(order);
    give_reorders_to_neighbours(order);
    std::ranges::reverse(order);
    give_reorders_to_neighbours(order);
    for (const std::uint32_t i : order) {
        if (iterations_.of_operator[i] && !local_of_[i]) {
            const std::string name(text(at(i).name));
            local_of_[i] = local_named(name, {.operation = name});
            result_.by[i] = AttributedBy::operator_itself;
        }
    }
}

// Each operator without a layer gets that of the previous operator in this order, within its
// iteration.
void LayerAttributor::give_reorders_to_neighbours(std::span<const std::uint32_t> order) {
    std::optional<std::uint32_t> last;
    std::optional<std::size_t> iteration;
    for (const std::uint32_t i : order) {
        if (iteration != iterations_.of_operator[i]) {
            iteration = iterations_.of_operator[i];
            last.reset();
        }
        if (!iteration) {
            continue;
        }
        if (at(i).kind == StepKind::compute) {
            last = local_of_[i];
        } else if (last && !local_of_[i]) {
            local_of_[i] = last;
            result_.by[i] = AttributedBy::neighbour;
        }
    }
}

std::vector<LayerMatch> LayerAttributor::matches() const {
    if (graph_ == nullptr) {
        return std::vector<LayerMatch>(locals_.size());
    }
    std::vector<LayerTraits> traits;
    for (const LocalLayer& one : locals_) {
        traits.push_back({.path = one.path,
                          .type = one.is_forward ? std::string(type_of_operator(text(one.heaviest)))
                                                 : std::string(),
                          .shape = std::string(text(one.shape)),
                          .is_forward = one.is_forward});
    }
    return match_layers(traits, *graph_, *ranges_);
}

AttributedLayer LayerAttributor::layer_of(const LocalLayer& local, const LayerMatch& match) const {
    if (match.layer) {
        return {graph_->layers[*match.layer].name, match.layer, match.by};
    }
    if (graph_ == nullptr) {
        return {.name = local.name, .by = local.by};
    }
    const bool is_in_module = !ranges_->module_of(local.path).empty();
    const std::string& what =
        local.by == AttributedBy::module_path || is_in_module ? local.name : local.operation;
    return {fmt::format("{}{}", unattributed_prefix, what), {}, AttributedBy::nothing};
}

// Local layers with equal names are one layer.
void LayerAttributor::name_layers() {
    const std::vector<LayerMatch> matched = matches();
    std::map<std::string, std::uint32_t> places;
    std::vector<std::uint32_t> place_of;
    for (std::size_t i = 0; i < locals_.size(); ++i) {
        const AttributedLayer layer = layer_of(locals_[i], matched[i]);
        const auto [found, is_new] =
            places.emplace(layer.name, static_cast<std::uint32_t>(result_.layers.size()));
        if (is_new) {
            result_.layers.push_back(layer);
        }
        place_of.push_back(found->second);
    }
    for (std::size_t i = 0; i < local_of_.size(); ++i) {
        if (local_of_[i]) {
            assign(i, place_of[*local_of_[i]]);
        }
    }
}

// The operators directly in a layer carry the reason for which it was found.
void LayerAttributor::assign(std::size_t i, std::uint32_t layer) {
    result_.of_operator[i] = layer;
    const AttributedBy by = result_.layers[layer].by;
    const bool is_direct = result_.by[i] == AttributedBy::module_path ||
                           result_.by[i] == AttributedBy::operator_itself;
    if (is_direct || by == AttributedBy::nothing) {
        result_.by[i] = by;
    }
}

}  // namespace

LayerAttribution attribute_layers(const RecordedProfile& recording,
                                  const RecordedIterations& iterations, const Graph* graph) {
    return LayerAttributor(recording, iterations, graph).attribute();
}

}  // namespace strata
