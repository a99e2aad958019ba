// SPDX-License-Identifier: MIT
#include "predict/elementwise_chain.h"

#include "graph/executed.h"

#include <algorithm>
#include <optional>
#include <set>

namespace strata {

namespace {

bool may_be_in_chain(const Op& op) {
    return std::holds_alternative<Activation>(op) || std::holds_alternative<Elementwise>(op) ||
           std::holds_alternative<Unary>(op) || std::holds_alternative<BatchNormalization>(op) ||
           std::holds_alternative<LayerNormalization>(op) || std::holds_alternative<Softmax>(op) ||
           std::holds_alternative<Dropout>(op) || std::holds_alternative<Identity>(op);
}

class ChainBuilder {
public:
    explicit ChainBuilder(const Graph& graph)
        : graph_(graph),
          producers_(producers_of(graph)),
          chain_of_(graph.layers.size()),
          is_output_(graph.tensors.size()) {
        for (const TensorId id : graph.outputs) {
            is_output_[id] = true;
        }
        for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
            if (may_be_in_chain(graph.layers[layer].op)) {
                add(layer);
            }
        }
    }

    const std::vector<std::vector<LayerId>>& chains() const { return chains_; }

    // Results under another name are those of their operand.
    Bytes traffic_of(std::size_t chain, const Numerics& numerics,
                     const std::vector<std::vector<LayerId>>& consumers) const {
        std::set<TensorId> moved;
        std::vector<TensorId> origin(graph_.tensors.size());
        for (const LayerId id : chains_[chain]) {
            const Layer& layer = graph_.layers[id];
            const bool renames = renames_input(layer.op, Pass::forward, numerics.mode);
            for (const TensorId input : layer.inputs) {
                if (chain_at(input) != chain) {
                    origin[input] = input;
                    moved.insert(input);
                }
            }
            for (const TensorId output : layer.outputs) {
                origin[output] = renames ? origin[layer.inputs.front()] : output;
                const bool is_read = std::ranges::any_of(
                    consumers[output], [&](LayerId reader) { return chain_of_[reader] != chain; });
                if (is_read || is_output_[output]) {
                    moved.insert(origin[output]);
                }
            }
        }
        Bytes traffic;
        for (const TensorId id : moved) {
            traffic += held_bytes(graph_.tensors[id], numerics);
        }
        return traffic;
    }

private:
    std::optional<std::size_t> chain_at(TensorId tensor) const {
        const auto producer = producers_[tensor];
        return producer ? chain_of_[*producer] : std::nullopt;
    }

    std::int64_t elements_of(LayerId layer) const {
        return product(graph_.tensors[graph_.layers[layer].outputs.front()].tensor.dims);
    }

    void add(LayerId layer) {
        std::optional<LayerId> last;
        for (const TensorId input : graph_.layers[layer].inputs) {
            last = std::max(last, producers_[input]);  // nothing is the least
        }
        const auto chain = last ? chain_of_[*last] : std::nullopt;
        if (chain && continues(layer, *chain)) {
            chain_of_[layer] = *chain;
            chains_[*chain].push_back(layer);
        } else {
            chain_of_[layer] = chains_.size();
            chains_.push_back({layer});
        }
    }

    bool continues(LayerId layer, std::size_t chain) const {
        const LayerId first = chains_[chain].front();
        return elements_of(layer) == elements_of(first) &&
               std::ranges::all_of(graph_.layers[layer].inputs, [&](TensorId input) {
                   const auto producer = producers_[input];
                   return !producer || *producer < first || chain_of_[*producer] == chain;
               });
    }

    const Graph& graph_;
    std::vector<std::optional<LayerId>> producers_;
    std::vector<std::optional<std::size_t>> chain_of_;  // by layer
    std::vector<bool> is_output_;                       // by tensor
    std::vector<std::vector<LayerId>> chains_;
};

}  // namespace

std::vector<ElementwiseChain> elementwise_chains(const Graph& graph, const Numerics& numerics) {
    const ChainBuilder builder(graph);
    const auto consumers = consumers_of(graph);
    std::vector<ElementwiseChain> found;
    for (std::size_t chain = 0; chain < builder.chains().size(); ++chain) {
        const std::vector<LayerId>& layers = builder.chains()[chain];
        if (layers.size() > 1) {
            found.push_back({layers, builder.traffic_of(chain, numerics, consumers)});
        }
    }
    return found;
}

}  // namespace strata
