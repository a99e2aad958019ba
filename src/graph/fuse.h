// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

// Layers that may be done in one operation with the layer that `first` is: each reads what the one
// before gives, and nothing else does.
struct FusedChain {
    LayerId first = 0;
    std::vector<LayerId> followers = {};  // in order; any number of the last may be left out

    bool operator==(const FusedChain&) const = default;
};

// Convolutions with what may follow them within one operation: batch normalisation over channels
// (inference only, where it is a fixed scale and shift), the sum with a tensor that exists before
// the convolution runs, ReLU; each at most once and in this order. Fully connected layers with
// their ReLU. No layer is in two chains, and what lies between two layers of a chain is read by no
// backward pass and is no output of the network. Only layers that have followers are listed, in the
// order of the graph.
std::vector<FusedChain> fused_chains(const Graph& graph, Mode mode);

// What followers do to the result of the layer that they are fused with, in this order.
struct FollowingOperations {
    const Layer* normalization = nullptr;
    std::optional<LayerId> sum = {};
    std::optional<TensorId> addend = {};  // the sum's other operand
    bool relu = false;
    TensorId result = 0;  // what the last of them gives; without any, what the layer gives
};
FollowingOperations operations_of(const Graph& graph, const Layer& first,
                                  std::span<const LayerId> followers);

// How a step says what is fused into it: " fused with batch_normalization, relu"; empty if nothing
// is. It has the kinds of layers only, so that equal operations of different layers have equal
// text.
enum class FusedBias { no, yes };
std::string text_of_fused(const Graph& graph, FusedBias bias, std::span<const LayerId> followers);

// Of an addition of two tensors, the operand that is not `operand`.
TensorId other_operand(const Layer& addition, TensorId operand);

}  // namespace strata
