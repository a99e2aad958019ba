// SPDX-License-Identifier: MIT
#include "graph/fuse.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace strata {

namespace {

bool begins_chain(const Layer& layer) {
    return std::holds_alternative<Convolution>(layer.op) ||
           std::holds_alternative<FullyConnected>(layer.op);
}

// The layers that may follow a convolution, in their required order.
enum class Follower { normalization, sum, relu };

bool is_sum_of_two(const Layer& layer) {
    const auto* op = std::get_if<Elementwise>(&layer.op);
    return op != nullptr && op->kind == ElementwiseKind::add && layer.inputs.size() == 2 &&
           layer.inputs[0] != layer.inputs[1];
}

bool is_relu(const Layer& layer) {
    const auto* op = std::get_if<Activation>(&layer.op);
    return op != nullptr && op->kind == ActivationKind::relu;
}

bool is_channel_normalization(const Layer& layer) {
    const auto* op = std::get_if<BatchNormalization>(&layer.op);
    return op != nullptr && op->scope == NormalizationScope::spatial;
}

class ChainFinder {
public:
    ChainFinder(const Graph& graph, Mode mode)
        : graph_(graph),
          mode_(mode),
          consumers_(consumers_of(graph)),
          producers_(producers_of(graph)),
          is_output_(graph.tensors.size()) {
        for (const TensorId id : graph.outputs) {
            is_output_[id] = true;
        }
    }

    FusedChain chain_of(LayerId first) const {
        FusedChain chain{first};
        auto minimum = Follower::normalization;
        LayerId last = first;
        while (const auto next = next_of(first, last, minimum)) {
            chain.followers.push_back(next->first);
            last = next->first;
            if (next->second == Follower::relu) {
                break;
            }
            minimum = static_cast<Follower>(static_cast<int>(next->second) + 1);
        }
        return chain;
    }

private:
    using Next = std::pair<LayerId, Follower>;

    // The only reader of the last layer's result, if it may follow.
    std::optional<Next> next_of(LayerId first, LayerId last, Follower minimum) const {
        const TensorId between = graph_.layers[last].outputs[0];
        if (consumers_[between].size() != 1 || is_output_[between]) {
            return std::nullopt;
        }
        const LayerId reader = consumers_[between].front();
        const auto kind = kind_of_follower(first, reader, between);
        return kind && *kind >= minimum ? std::optional(Next{reader, *kind}) : std::nullopt;
    }

    std::optional<Follower> kind_of_follower(LayerId first, LayerId reader,
                                             TensorId between) const {
        const Layer& layer = graph_.layers[reader];
        if (layer.inputs[0] == between && is_relu(layer)) {
            return Follower::relu;
        }
        if (!std::holds_alternative<Convolution>(graph_.layers[first].op)) {
            return std::nullopt;
        }
        if (mode_ == Mode::inference && layer.inputs[0] == between &&
            is_channel_normalization(layer)) {
            return Follower::normalization;
        }
        return is_sum_of_two(layer) &&
                       is_there_before(other_operand(layer, between), between, first)
                   ? std::optional(Follower::sum)
                   : std::nullopt;
    }

    // Whether the other operand exists, in the same shape, when the convolution runs.
    bool is_there_before(TensorId other, TensorId between, LayerId first) const {
        const auto producer = producers_[other];
        const Tensor& tensor = graph_.tensors[other].tensor;
        return (!producer || *producer < first) && tensor == graph_.tensors[between].tensor;
    }

    const Graph& graph_;
    Mode mode_;
    std::vector<std::vector<LayerId>> consumers_;
    std::vector<std::optional<LayerId>> producers_;
    std::vector<bool> is_output_;  // by tensor
};

}  // namespace

std::vector<FusedChain> fused_chains(const Graph& graph, Mode mode) {
    const ChainFinder finder(graph, mode);
    std::vector<FusedChain> chains;
    for (LayerId layer = 0; layer < graph.layers.size(); ++layer) {
        if (begins_chain(graph.layers[layer])) {
            FusedChain chain = finder.chain_of(layer);
            if (!chain.followers.empty()) {
                chains.push_back(std::move(chain));
            }
        }
    }
    return chains;
}

FollowingOperations operations_of(const Graph& graph, const Layer& first,
                                  std::span<const LayerId> followers) {
    FollowingOperations operations{.result = first.outputs[0]};
    for (const LayerId id : followers) {
        const Layer& follower = graph.layers[id];
        if (std::holds_alternative<BatchNormalization>(follower.op)) {
            operations.normalization = &follower;
        } else if (std::holds_alternative<Elementwise>(follower.op)) {
            operations.sum = id;
            operations.addend = other_operand(follower, operations.result);
        } else {
            operations.relu = true;
        }
        operations.result = follower.outputs[0];
    }
    return operations;
}

std::string text_of_fused(const Graph& graph, FusedBias bias, std::span<const LayerId> followers) {
    std::string kinds = bias == FusedBias::yes ? " fused with bias" : "";
    for (const LayerId follower : followers) {
        kinds += kinds.empty() ? " fused with " : ", ";
        kinds += kind_of(graph.layers[follower].op);
    }
    return kinds;
}

TensorId other_operand(const Layer& addition, TensorId operand) {
    return addition.inputs[addition.inputs[0] == operand ? 1 : 0];
}

}  // namespace strata
