// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Layers that may be fused with the layer `first`: each is the only reader of the previous one's
// result.
struct FusedChain {
    LayerId first = 0;
    std::vector<LayerId> followers =
        {};  // in order; any number of them may be dropped from the end

    bool operator==(const FusedChain&) const = default;
};

// Convolutions with the layers that may be fused with them: batch normalisation over channels
// (inference only, when it is a fixed scale and shift), the sum with a tensor that exists before
// the convolution runs, ReLU; each at most once and in this order. Fully connected layers with
// their ReLU. No layer is in two chains; no backward pass reads the tensor between two layers of a
// chain, and it is not an output of the network. Only layers with followers are listed, in the
// graph's order.
std::vector<FusedChain> fused_chains(const Graph& graph, Mode mode);

// The operations of fused followers on the first layer's result, in this order.
struct FollowingOperations {
    const Layer* normalization = nullptr;
    std::optional<LayerId> sum = {};
    std::optional<TensorId> addend = {};  // the sum's other operand
    bool relu = false;
    TensorId result = 0;  // the last follower's result, or the layer's if there are none
};
FollowingOperations operations_of(const Graph& graph, const Layer& first,
                                  std::span<const LayerId> followers);

// A step's text for what is fused into it: " fused with batch_normalization, relu"; empty if
// nothing is. It names only the kinds of layers, so that equal operations of different layers have
// equal text.
enum class FusedBias { no, yes };
std::string text_of_fused(const Graph& graph, FusedBias bias, std::span<const LayerId> followers);

// The operand of a two-tensor addition that is not `operand`.
TensorId other_operand(const Layer& addition, TensorId operand);

}  // namespace strata
