// SPDX-License-Identifier: MIT
#pragma once

#include "graph/execution.h"
#include "graph/graph.h"

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
// the convolution runs, ReLU; each at most once and in this order. No layer is in two chains, and
// what lies between two layers of a chain is read by no backward pass and is no output of the
// network. Only convolutions that have followers are listed, in the order of the graph.
std::vector<FusedChain> convolution_chains(const Graph& graph, Mode mode);

// Of an addition of two tensors, the operand that is not `operand`.
TensorId other_operand(const Layer& addition, TensorId operand);

}  // namespace strata
