// SPDX-License-Identifier: MIT
#include "parallel/tensor_split.h"

#include "base/text.h"
#include "op/op.h"
#include "op/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace strata {

bool LayerSplit::is_whole() const {
    return !outputs && std::ranges::none_of(inputs, &SplitAxis::has_value);
}

namespace {

bool is_fixed(Role role) {
    return role == Role::input || role == Role::label || role == Role::activation;
}

// Which layers are divided, and at which axes. Every product that may opens at first; those whose
// channels no later layer takes are whole in the next pass.
class Splitter {
public:
    Splitter(const Graph& graph, int devices)
        : graph_(graph), devices_(devices), readers_(consumers_of(graph)) {}

    const std::vector<LayerSplit>& run() {
        while (!pass()) {
        }
        return layers_;
    }

    const std::vector<SplitAxis>& tensors() const { return axis_; }

private:
    // Whether every layer can take what those before it leave.
    bool pass() {
        layers_.clear();
        axis_.assign(graph_.tensors.size(), {});
        sources_.assign(graph_.tensors.size(), {});
        starts_.assign(graph_.layers.size(), {});
        const std::size_t before = whole_.size();
        for (LayerId layer = 0; layer < graph_.layers.size(); ++layer) {
            layers_.push_back(divided(layer));
        }
        for (const TensorId output : graph_.outputs) {
            if (axis_[output]) {
                whole_.insert(sources_[output].begin(), sources_[output].end());
            }
        }
        compare_parameters();
        return whole_.size() == before;
    }

    LayerSplit divided(LayerId id) {
        const Layer& layer = graph_.layers[id];
        std::vector<SplitAxis> inputs;
        std::set<LayerId> sources;
        for (const TensorId input : layer.inputs) {
            const bool fixed = is_fixed(graph_.tensors[input].role);
            inputs.push_back(fixed ? axis_[input] : SplitAxis());
            if (inputs.back()) {
                sources.insert(sources_[input].begin(), sources_[input].end());
            }
        }
        const auto found = split_of({.op = layer.op,
                                     .signature = signature_of(graph_, layer),
                                     .inputs = inputs,
                                     .devices = devices_,
                                     .may_open = !whole_.contains(id),
                                     .may_round = only_loss_reads(layer)});
        if (!found) {
            whole_.insert(sources.begin(), sources.end());
            return {.inputs = std::vector<SplitAxis>(layer.inputs.size())};
        }
        if (sources.empty()) {
            sources.insert(id);
        }
        for (const TensorId output : layer.outputs) {
            axis_[output] = found->outputs;
            sources_[output] = sources;
        }
        starts_[id] = std::move(sources);
        return *found;
    }

    bool only_loss_reads(const Layer& layer) const {
        return std::ranges::all_of(readers_[layer.outputs[0]], [&](LayerId reader) {
            return std::holds_alternative<SoftmaxCrossEntropy>(graph_.layers[reader].op);
        });
    }

    // Layers that share a parameter divide it alike, or it is whole.
    void compare_parameters() {
        for (TensorId id = 0; id < graph_.tensors.size(); ++id) {
            if (is_fixed(graph_.tensors[id].role)) {
                continue;
            }
            std::set<LayerId> dividing;
            bool differs = false;
            for (const LayerId reader : readers_[id]) {
                const auto& inputs = graph_.layers[reader].inputs;
                for (std::size_t i = 0; i < inputs.size(); ++i) {
                    if (inputs[i] != id) {
                        continue;
                    }
                    const SplitAxis axis = layers_[reader].inputs[i];
                    differs = differs || (reader != readers_[id].front() && axis != axis_[id]);
                    axis_[id] = reader == readers_[id].front() ? axis : axis_[id];
                    if (axis) {
                        dividing.insert(starts_[reader].begin(), starts_[reader].end());
                    }
                }
            }
            if (differs) {
                whole_.insert(dividing.begin(), dividing.end());
            }
        }
    }

    const Graph& graph_;
    const int devices_;
    std::vector<std::vector<LayerId>> readers_;
    std::set<LayerId> whole_;                 // must not open
    std::vector<LayerSplit> layers_;          // of this pass
    std::vector<SplitAxis> axis_;             // by tensor
    std::vector<std::set<LayerId>> sources_;  // by tensor: the layers at which its division began
    std::vector<std::set<LayerId>> starts_;   // by layer: the same of its operands, or itself
};

std::int64_t share_of(std::int64_t extent, std::int64_t devices) {
    return (extent + devices - 1) / devices;
}

// An operator with the attributes of one device's part.
class LocalOperator {
public:
    LocalOperator(const Signature& local, const LayerSplit& split, std::int64_t devices)
        : local_(local), split_(split), devices_(devices) {}

    template <class Other>
    void operator()(Other&) const {}

    void operator()(FullyConnected& op) const { op.out_features = local_.outputs[0].dims[1]; }
    void operator()(Convolution& op) const {
        op.out_channels = local_.outputs[0].dims[1];
        op.groups = op.groups > 1 ? op.groups / devices_ : 1;
    }
    void operator()(Attention& op) const {
        if (local_.inputs[0].tensor.dims.size() == 3) {
            op.heads /= devices_;
            op.kv_heads /= devices_;
        }
    }
    void operator()(Embedding& op) const {
        op.rows = local_.inputs[1].tensor.dims[0];
        op.width = local_.inputs[1].tensor.dims[1];
    }
    void operator()(GroupNormalization& op) const { op.groups /= devices_; }
    void operator()(Reshape& op) const { op.dims = local_.outputs[0].dims; }
    void operator()(Slice& op) const {
        for (std::size_t i = 0; i < op.axes.size(); ++i) {
            const std::size_t rank = local_.inputs[0].tensor.dims.size();
            if (axis_index("", op.axes[i], rank) == *split_.inputs[0]) {
                op.starts[i] /= devices_;
                op.extents[i] /= devices_;
            }
        }
    }

private:
    const Signature& local_;
    const LayerSplit& split_;
    std::int64_t devices_;
};

template <class... Operators>
bool is_any_of(const Op& op) {
    return (std::holds_alternative<Operators>(op) || ...);
}

// What a split is for: all others follow, or cost little.
bool has_products(const Op& op) {
    return is_any_of<FullyConnected, MatMul, Convolution, TransposedConvolution, Attention,
                     Recurrent>(op);
}

// "h.0.attn.attention has 12 heads, ..."; empty if devices can share those of every attention. A
// product of two activations in batches [N,heads,...] is attention that is not fused.
std::string heads_refusal(const Graph& graph, int devices) {
    for (const Layer& layer : graph.layers) {
        std::int64_t heads = devices;
        std::string_view kind = "heads";
        const Signature signature = signature_of(graph, layer);
        if (const auto* attention = std::get_if<Attention>(&layer.op)) {
            const AttentionExtents extents = extents_of(*attention, signature);
            const bool has_few_keys = extents.heads % devices == 0;
            heads = has_few_keys ? extents.kv_heads : extents.heads;
            kind = has_few_keys ? "heads of keys" : kind;
        } else if (std::holds_alternative<MatMul>(layer.op) &&
                   signature.outputs[0].dims.size() == 4 && signature.outputs[0].dims[1] > 1 &&
                   signature.inputs[1].role == Role::activation) {
            heads = signature.outputs[0].dims[1];
        }
        if (heads % devices != 0) {
            return fmt::format(
                "{} has {} {}, which {} devices cannot share: tensor parallelism needs a divisor "
                "of {}",
                printable(layer.name), heads, kind, devices, heads);
        }
    }
    return "";
}

std::vector<SplitExchange> exchanges_of(const Graph& graph, std::span<const LayerSplit> layers) {
    std::vector<SplitExchange> exchanges;
    std::vector<std::optional<std::size_t>> backward(graph.tensors.size());
    for (LayerId id = 0; id < layers.size(); ++id) {
        const Layer& layer = graph.layers[id];
        if (layers[id].is_partial) {
            exchanges.push_back({.layer = id, .tensor = graph.tensors[layer.outputs[0]].tensor});
        }
        if (std::holds_alternative<SoftmaxCrossEntropy>(layer.op) && layers[id].inputs[0]) {
            // The largest value, the sum of exponentials and the label's value of each row.
            const std::int64_t rows = graph.tensors[layer.inputs[0]].tensor.dims[0];
            exchanges.push_back({.layer = id, .tensor = {{rows}}, .times = 3});
        }
        if (layers[id].opens) {
            const TensorId read = layer.inputs[0];
            if (!backward[read]) {
                backward[read] = exchanges.size();
                exchanges.push_back({.layer = id,
                                     .pass = Pass::backward_data,
                                     .tensor = graph.tensors[read].tensor});
            }
            exchanges[*backward[read]].openers.push_back(id);
        }
    }
    return exchanges;
}

Graph local_graph(const Graph& graph, std::span<const LayerSplit> layers,
                  std::span<const SplitAxis> tensors, int devices) {
    Graph local = graph;
    for (TensorId id = 0; id < tensors.size(); ++id) {
        if (tensors[id]) {
            std::int64_t& extent = local.tensors[id].tensor.dims[*tensors[id]];
            extent = share_of(extent, devices);
            local.tensors[id].data.reset();
        }
    }
    for (LayerId id = 0; id < layers.size(); ++id) {
        if (!layers[id].is_whole()) {
            Layer& layer = local.layers[id];
            std::visit(LocalOperator(signature_of(local, layer), layers[id], devices),
                       static_cast<OneOperator&>(layer.op));
        }
    }
    validate(local);
    return local;
}

}  // namespace

TensorSplit tensor_split(const Graph& graph, int devices) {
    TensorSplit split;
    split.refusal = heads_refusal(graph, devices);
    if (!split.refusal.empty()) {
        return split;
    }
    Splitter splitter(graph, devices);
    const std::vector<LayerSplit>& layers = splitter.run();
    split.graph = local_graph(graph, layers, splitter.tensors(), devices);
    split.exchanges = exchanges_of(graph, layers);
    for (LayerId id = 0; id < layers.size(); ++id) {
        if (has_products(graph.layers[id].op)) {
            (layers[id].is_whole() ? split.whole : split.split).push_back(id);
        }
    }
    if (split.split.empty()) {
        split.refusal = fmt::format("no layer of {} can be divided among {} devices",
                                    printable(graph.name), devices);
    }
    return split;
}

}  // namespace strata
